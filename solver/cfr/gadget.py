"""The Resolve gadget: solve again from a position without giving the opponent anything (Burch,
Johanson & Bowling 2014).

A player, the *solver*, has followed a strategy `s` up to a position where it is their turn, and
wants another one from there on. The opponent's range there is not known: what they bid tells little
if `s` expected something else. If a range is assumed and the opponent's true one differs, the new
strategy may lose any amount. The gadget makes the opponent choose the range: before the position,
each of their hands may take a stated *alternative*, what it can get against `s` anyway, or play on.

**The game.** Write `m` for the range of the solver at the position: for each hand its probability
times that of having bid like this with it, divided by its sum. Values of the opponent's hands are
counterfactual, expected over `m`. `F` and `L` (*free* and *forced*) are two measures over the
opponent's hands with masses 1 - l and l, where l is the *share*. For a strategy `t` of the solver
from the position on let V_t(o) be what a best response earns the opponent's hand `o` in the whole
game below the position, and `w(o)` its alternative. Against `t` the opponent gets at most

    G(t) = sum over o of F(o) max(w(o), V_t(o)) + L(o) V_t(o)

since free hands choose and forced ones must play on. The solver trains to make G small.

**Theorem.** Let the opponent have made the last bid, at the history `g`, and let `W(o)` be the
value of the opponent's best response to `s` from `g` on. Choose any V_s(o) <= w(o) <= W(o). If
`t` is within `e` of the best strategy of the solver in the game above, then

    sum over o of F(o) max(0, V_t(o) - W(o))  <=  e + l D,   D = sum of (L / l)(o) (V_s - V_t)(o)

*Proof.* The best t does no worse than s, so G(t) <= G(s) + e. As V_s <= w, the free part of G(s)
is the sum of F w; subtracting it from both sides leaves
`sum of F max(0, V_t - w) + sum of L V_t <= sum of L V_s + e`, and w <= W. ∎

**What this means.** Let s' be s with t below the position. At g a hand of the opponent that bids
as they did gets V_t, and by any other action at most W still. So the opponent's best response at g
gains at most max(0, V_t - W) from the change; from several changes, each after another bid at g, at
most the largest of these, since a hand makes one bid. Above g the opponent maximises and adds up,
neither of which magnifies a gain. So with `share` 0 and F the deal, a best response to the solver's
whole strategy earns at most the sum of the e more, each times the probability with which the solver
comes there: safety is bought with e alone. With a share l the solver may give what it gains
against the forced range, and never more than l / (1 - l) times twice the stake. A bid below this
position, after which the solver solves once more, has its alternatives from s' in place of s, and
the same holds again.

The alternatives must be what the opponent *realises* against s, by a best response, as W is. What s
earns against itself is less, and then no t can be safe, nor is s.

**Differences from the paper.** Alternatives are the best responses *before* the opponent's last
bid, not after it: a bid that s punishes leaves the solver room for it. The share is ours.

The other player improves their choice like any other: by regret matching for each hand, in the same
passes, with the same weights (`solver.cfr.tree_cfr`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solver.cfr.regret_matching import Step, improved, positive_shares

OPPONENT = 1
"""The player before the root: the last to have bid, of two."""


class Gadget:
    """The opponent's choice before the root, and what they have learned of it.

    Parameters
    ----------
    free
        [hand] float32, what the opponent may hold and choose with,
    forced
        [hand] float32, and without a choice. The two add up to their range at the root.
    alternatives
        [hand] float32, what they get by not playing on, in penalty points, expected over the
        solver's range at the root.
    """

    def __init__(
        self,
        free: NDArray[np.float32],
        forced: NDArray[np.float32],
        alternatives: NDArray[np.float32],
    ) -> None:
        self._free, self._forced, self._alternatives = free, forced, alternatives
        self._regret = np.zeros((2, free.size), dtype=np.float32)
        """[choice, hand] to play on, or not."""

    @property
    def reach(self) -> NDArray[np.float32]:
        """[hand] float32, the range with which the opponent plays on now."""
        playing_on = positive_shares(self._regret)[0]
        reached: NDArray[np.float32] = self._forced + self._free * playing_on
        return reached

    def improve(self, value: NDArray[np.float32], step: Step) -> None:
        """Learn from a pass in which playing on had the `value` [hand]."""
        self._regret = improved(self._regret, np.stack([value, self._alternatives]), step)

    def earned(
        self, entered: NDArray[np.floating], best: NDArray[np.floating]
    ) -> tuple[float, float]:
        """Return what the solver gets where the opponent does not play on, if the range that does
        is `entered` [hand]; and what the opponent gets in all by choosing well, if playing on is
        worth `best` [hand]."""
        left_out = self._free + self._forced - entered
        chosen = self._free @ np.maximum(best, self._alternatives) + self._forced @ best
        return -float(left_out @ self._alternatives), float(chosen)
