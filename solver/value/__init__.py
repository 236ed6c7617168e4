"""What given strategies earn.

`expected_value` bounds what each seat earns in a round, from the start. `action_values` values each
action of one hand at one position, quickly and with a known error. Both follow lines of play with a
range for each player, and share `listed` and `solver.showdown`; the first keeps a range for every
seat, the second a single hand for one.
"""
