"""What given strategies earn.

`expected_value` bounds what each seat earns in a round, from its start. `action_values` values each
action of one or many hands at one position, quickly and with a known error. Both follow lines of
play with a range for each player; `action_values` values each own hand by itself instead of a range
of them. Both use `solver.showdown`. Each splits ranges in a loop of its own: with one shared
kernel, the walk of `expected_value` took 2 to 6 % longer.

`self_play` is for all seats playing one table with full recall: it is exact, and returns how often
each stored history comes up. It shares the walk over stored histories, `table_walk`, with the best
responses of `solver.response.full_recall`.

For scripts and tests, `expected_value.expected_values` and `expected_value.table_values` make one
walk and return its intervals.
"""
