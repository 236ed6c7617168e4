"""What given strategies earn.

`expected_value` bounds what each seat earns in a round, from the start. `action_values` values each
action of one hand or many at one position, quickly and with a known error. Both follow lines of
play with a range for each player; to the second, the own hands are not a range, but are valued each
by itself.
They share `solver.showdown`. Each splits ranges in a loop of its own: with one kernel for both, the
walk of `expected_value` took 2 to 6 % longer. `self_play` is for all seats playing one table with
full recall: exact, and it says how often each stored history comes up. It shares the walk over
stored histories, `table_walk`, with the best responses of `solver.response.full_recall`.

For scripts and tests, `expected_value.expected_values` and `expected_value.table_values` make one
walk and return its intervals.
"""
