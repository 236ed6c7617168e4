"""Train strategies by counterfactual regret minimisation.

| module | information sets | sampling | when it is used |
|---|---|---|---|
| `exact` | every history | none | small two-player variants: converges to the exact value |
| `tree_cfr` | every history of a growing tree | none | two players |
| `mccfr` | contexts of a recall | replies of the others | three or more players, or less memory |
"""
