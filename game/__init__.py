"""The rules of the game: bids, hands, notation, rounds, kernel tables, and OpenSpiel's game."""
