"""The Resolve gadget: solve again from a position without giving the opponent anything (Burch,
Johanson & Bowling 2014).

A player, the *solver*, has followed a strategy `s` up to a position where it is their turn, and
wants another strategy from there on. The opponent's range at the position is unknown: their bids
tell little if `s` expected other bids. If the solver assumes a range and the opponent's true range
differs, the new strategy may lose any amount. The gadget makes the opponent choose the range:
before the position, each of their hands may play on or take a stated *alternative*, the value that
it can get against `s` anyway.

**The game.** Write `m` for the range of the solver at the position: for each hand its probability
times the probability of bidding like this with it, divided by the sum. Values of the opponent's
hands are counterfactual, expected over `m`. `F` and `L` (*free* and *forced*) are two measures over
the opponent's hands with masses 1 - l and l, where l is the *share*. For a strategy `t` of the
solver from the position on, let V_t(o) be what a best response earns the opponent's hand `o` in the
whole game below the position, and `w(o)` its alternative. Against `t` the opponent gets at most

    G(t) = sum over o of F(o) max(w(o), V_t(o)) + L(o) V_t(o)

since free hands choose and forced hands must play on. The solver trains to make G small.

**Theorem.** Let the opponent have made the last bid, at the history `g`, and let `W(o)` be the
value of the opponent's best response to `s` from `g` on. Choose any V_s(o) <= w(o) <= W(o). If
`t` is within `e` of the best strategy of the solver in the game above, then

    sum over o of F(o) max(0, V_t(o) - W(o))  <=  e + l D,   D = sum of (L / l)(o) (V_s - V_t)(o)

*Proof.* The best t does no worse than s, so G(t) <= G(s) + e. As V_s <= w, the free part of G(s)
is the sum of F w; subtracting it from both sides leaves
`sum of F max(0, V_t - w) + sum of L V_t <= sum of L V_s + e`, and w <= W. ∎

**What this means.** Let s' be s with t below the position. At g, a hand of the opponent that bids
as they did gets V_t, and by any other action still at most W. So the opponent's best response at g
gains at most max(0, V_t - W) from the change. If there are several changes, each after another bid
at g, it gains at most the largest of these terms, since a hand makes one bid. Above g the opponent
maximises and adds up, neither of which magnifies a gain. So let the `share` be 0 and F the deal. A
best response to the solver's whole strategy then gains at most a sum over all positions that are
solved again: e times the probability with which the solver comes there. Only e costs safety.

With a share l, the solver may lose as much as it gains against the forced range, but never more
than l / (1 - l) times twice the stake. If the solver solves once more after a bid below this
position, the alternatives come from s' in place of s, and the theorem applies again.

The alternatives must be what the opponent *realises* against s by a best response, as W is. What s
earns against itself is less. With such alternatives no t can be safe, nor is s.

**Differences from the paper.** Alternatives are the best responses *before* the opponent's last
bid, not after it, so a bid that s punishes leaves the solver some room. The share is ours.

The opponent improves their choice like any other decision: by regret matching for each hand, in the
same passes, with the same weights (`solver.cfr.tree_cfr`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.cfr.regret_matching import Step, improved, positive_shares

OPPONENT = 1
"""The player, of two, who made the last bid before the root."""


class Gadget:
    """The opponent's choice before the root, and their regrets for it.

    Parameters
    ----------
    free
        [hand] float32, the part of the opponent's range that has the choice.
    forced
        [hand] float32, the part that must play on. `free` and `forced` sum to the opponent's range
        at the root.
    alternatives
        [hand] float32, what a hand gets if it does not play on, in penalty points, expected over
        the solver's range at the root.
    """

    def __init__(
        self,
        free: NDArray[np.float32],
        forced: NDArray[np.float32],
        alternatives: NDArray[np.float32],
    ) -> None:
        self._free, self._forced, self._alternatives = free, forced, alternatives
        self._regret = np.zeros((2, free.size), dtype=np.float32)
        """[choice, hand] regrets: choice 0 plays on, choice 1 takes the alternative."""

    @property
    def reach(self) -> NDArray[np.float32]:
        """[hand] float32, the range with which the opponent currently plays on."""
        playing_on = positive_shares(self._regret)[0]
        reached: NDArray[np.float32] = self._forced + self._free * playing_on
        return reached

    def improve(self, value: NDArray[np.float32], step: Step) -> None:
        """Update the regrets after a pass in which playing on was worth `value` [hand]."""
        self._regret = improved(self._regret, np.stack([value, self._alternatives]), step)

    def earned(
        self, entered: NDArray[np.floating], best: NDArray[np.floating]
    ) -> tuple[float, float]:
        """Return what the solver gets where the opponent does not play on, and what the opponent's
        best choice earns in total. The opponent enters the root with the range `entered` [hand],
        and playing on is worth `best` [hand] to them."""
        left_out = self._free + self._forced - entered
        chosen = self._free @ np.maximum(best, self._alternatives) + self._forced @ best
        return -float(left_out @ self._alternatives), float(chosen)
