"""The solver: everything that takes and returns arrays.

Imports run one way: `response -> {cfr, value} -> {tables, showdown} -> {jit, memory, storage,
bounds, anytime}`.

| module or room | what it does |
|---|---|
| `jit`, `memory` | compile kernels, grow arrays |
| `storage`, `layout`, `header`, `strict_json` | write and read files, with checksums |
| `bounds`, `anytime` | intervals, and the loop of searches that can stop at any time |
| `showdown` | settle challenges, given ranges |
| `tables` | strategies as arrays: recall, storage, sampling, answers of untrusted policies |
| `cfr` | train: exact, single bid, growing tree, MCCFR |
| `value` | what given strategies earn |
| `response` | best responses |

With two players, the *opener* makes the first bid of a round and the *responder* replies to it. In
best responses, the *responder* is the player who best responds, in whichever seat.
"""
