"""Best responses: what a best response to a fixed policy earns, and so how exploitable the policy
is.

The engines differ in what they need to know about the policy, and in what they guarantee:

| module | policy | players | result | when it is used |
|---|---|---|---|---|
| `table_search` | strategy table | 2 | interval that closes | a policy file for two players |
| `full_recall` | table, full recall | 2 to 8 | exact | policy files of three or more |
| `query_search` | answers queries | 2 | interval that closes | networks and plug-ins, two players |
| `several_players` | answers queries | 2 to 8 | interval that closes | others of three or more |
| `learned` | strategy table | any | a strategy: lower bound | several players, wide intervals |
| `callers` | one number | any, dice are lost | exact | matches of `increment`, random callers |
| `solver.cfr.tree_respond` | the tree | 2 to 8 | exact | in training, to grow the tree |

Why they are separate:

- `table_search` reads the table in compiled code, so a history costs microseconds, and the search
  can open millions of histories, depth first, without storing any.
- `full_recall` visits every stored history once per seat. With another recall many histories share
  a node: too many to visit. `table_search` prunes most of them, but for two players only.
- `query_search` may wait a millisecond for each answer. It stores every answer, and spends more
  time choosing the next query than `table_search` spends on a history.
- `several_players` convolves the ranges of several opponents and asks for batches of answers; it
  works for two players too, but slower than `table_search` and `query_search`.
- `learned` samples, so it scales with the number of players, but it proves only a lower bound.
- `callers` relies on random callers revealing nothing, which no other engine assumes.
- `tree_respond` relies on the policy challenging everywhere outside its tree, as `full_recall`
  does, but in single precision, on the tree while it grows. The two share only the tables of the
  rules.

`gains` extracts the strategy that `table_search` has found, and lists the decisions by which it
gains. The three searches with intervals share `solver.anytime`, which decides when they stop and
explains why they may be interrupted, and `solver.showdown`, which settles challenges.

For scripts and tests, `table_search.best_response`, `full_recall.full_recall_response` and
`several_players.best_response_in` run one sweep and return its interval.
"""
