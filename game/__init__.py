"""What the rules are: bids, hands, notation, rounds, kernel tables, the OpenSpiel game."""
