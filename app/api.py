"""Define the public Python API on one page: solve, load, query and measure policies of Liar's Dice
as played in China (斋飞), and exchange them with OpenSpiel.

`import zhaifei` offers the names in `__all__`. Hands and bids may be given as people write them:
"11346", "飞4x6", "f4x6 z2x5".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from zhaifei.game.bids import Bid
from zhaifei.game.errors import ZhaifeiError, needing_openspiel
from zhaifei.game.hands import Hand, verify_hand
from zhaifei.game.notation import parse_bid, parse_hand, parse_history
from zhaifei.game.parts import Mode
from zhaifei.game.rules import PRESETS, Rules, preset
from zhaifei.policies.advice import advising
from zhaifei.policies.advice.advice import Advice, RangeAdvice
from zhaifei.policies.advice.locked import LockAnswer
from zhaifei.policies.catalogue.known import load_known
from zhaifei.policies.catalogue.lock_file import load_locks, parse_locks
from zhaifei.policies.catalogue.replacing import verify_no_loss
from zhaifei.policies.measure.anytime import last_of
from zhaifei.policies.measure.evaluation import Evaluation
from zhaifei.policies.players import table_policy
from zhaifei.policies.players.locks import Locks
from zhaifei.policies.players.policy import Policy
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.policies.training.solver_run import solved_round, solver_setup
from zhaifei.solver.bounds import BestResponse, Bounds

if TYPE_CHECKING:
    import pyspiel
    from open_spiel.python import policy as openspiel_policy

__all__ = [
    "PRESETS",
    "Advice",
    "BestResponse",
    "Bid",
    "Bounds",
    "Locks",
    "Mode",
    "Policy",
    "RangeAdvice",
    "Rules",
    "TablePolicy",
    "ZhaifeiError",
    "advise",
    "advise_range",
    "evaluate",
    "from_openspiel",
    "load_locks",
    "load_openspiel_game",
    "load_policy",
    "parse_locks",
    "preset",
    "save_policy",
    "solve",
    "to_openspiel",
]


def solve(
    rules: Rules,
    *,
    iterations: int | None = None,
    target: float | None = None,
    recall: str | None = None,
    seed: int = 0,
    threads: int | None = None,
) -> TablePolicy:
    """Compute an approximate Nash strategy; write no file and print nothing.

    Parameters
    ----------
    rules
        The variant: `preset("zhaifei")` is the full game of two.
    iterations
        (own hand, opponent hand) pairs traversed for each player, as in `zhaifei solve`. None
        stands for the engine's default number, or with a target for no limit.
    target
        Stop early when the last measured exploitability (with three players or more, NashConv)
        is at most this, in penalty points per round.
    recall
        Sample, with information sets that remember only this of the bids (see `solver.tables
        .recall`). By default players forget nothing, and nothing is sampled.
    seed, threads
        Runs with the same seed and one thread repeat bit for bit. No `threads` means all cores.

    Raises
    ------
    ZhaifeiError
        If no engine can solve these rules; if no strategy can miss, or none can reach, the target;
        or if the engine does not measure its target, as where a recall is named.
    """
    rules.verify_costs_points()
    setup = solver_setup(rules, recall=recall, seed=seed, threads=threads)
    return solved_round(setup, iterations=iterations, target=target)


def load_policy(source: str | Path | None = None, rules: Rules | None = None) -> TablePolicy:
    """Return the policy in the file `source`, or of the player of this name. By default return the
    least exploitable policy known for `rules` (by default the full game of two).

    Raise ZhaifeiError if no such policy is known or it is for other rules. Raise StorageError, a
    ZhaifeiError, if the file cannot be read.
    """
    return load_known(None if source is None else Path(source), rules).policy


def save_policy(path: str | Path, policy: TablePolicy, *, overwrite: bool = False) -> None:
    """Write a policy file, completely or not at all.

    Like `zhaifei solve`, replace a policy for the same rules only by one that is not worse by the
    figures that training recorded, and replace no other file. With `overwrite` replace any file.
    Raise ZhaifeiError if the file must not be replaced. Raise StorageError, a ZhaifeiError, if it
    cannot be written.
    """
    if not overwrite:
        verify_no_loss(Path(path), policy)
    table_policy.save_policy(Path(path), policy)


def advise(  # noqa: PLR0913  # options have names
    policy: TablePolicy,
    hand: str | Iterable[int],
    bid: str | Bid | None = None,
    history: str | Sequence[Bid] = (),
    *,
    resolve: float = 0.0,
    caution: Literal["certified", "normal", "exploiting"] = "normal",
    lock: str | Path | Locks | None = None,
    lock_answer: Literal["best-response", "solve"] = "best-response",
) -> Advice:
    """Return what `policy` does with `hand` facing `bid` after `history`, as `zhaifei query` does.

    `advice.actions` has every legal action with its probability and its value in penalty points;
    `advice.p_true` is the probability that the bid is true. Without a history, a bid that may open
    a round is taken as the opening; before any other bid, the bids are unknown. Without a bid and a
    history the advice is how to open. Raise ZhaifeiError for text that is not a hand or bid, and
    for hands, bids and histories that the rules forbid.

    With `resolve`, a two-player policy solves the rest of the round again where the bids leave its
    own lines, for about `resolve` seconds: `zhaifei query` takes up to 2. `caution` says how much
    to risk on the hands that the opponent's bids make plausible. `advice.ground` tells what the
    advice rests on; after a solution it has its `gap` and `caution`.

    With `lock`, a lock file or the result of `load_locks` or `parse_locks`, the opponent is
    supposed to play by these locks. The answer is the best response to them or, with
    `lock_answer="solve"`, a solution in which both players adapt to the locks, after about
    `resolve` seconds. `advice.ground` then describes the locks used. Raise LockError, a
    ZhaifeiError that names the line, for an invalid file or lock.
    """
    rules = policy.rules
    held: Hand = parse_hand(rules, hand) if isinstance(hand, str) else verify_hand(rules, hand)
    faced = parse_bid(bid, rules) if isinstance(bid, str) else bid
    bids = parse_history(rules, history) if isinstance(history, str) else history
    locks = lock if lock is None or isinstance(lock, Locks) else load_locks(Path(lock), rules)
    answer = LockAnswer(lock_answer)
    question = advising.Question(faced, bids, resolve, caution, locks, answer)
    *_, advice = advising.advise(policy, held, question)
    return advice


def advise_range(
    policy: TablePolicy,
    bid: str | Bid | None = None,
    history: str | Sequence[Bid] = (),
    *,
    resolve: float = 0.0,
    caution: Literal["certified", "normal", "exploiting"] = "normal",
) -> RangeAdvice:
    """Return what `policy` does facing `bid` after `history` with every hand that the player to
    move may hold, as `zhaifei query` without --hand does.

    `result.hands` has, in the order of `game.hands.hands`, what `advise` returns for each hand.
    `result.weights` [hand] float64 is the probability of each hand, given the player's own bids.
    `result.strategy` and `result.values` are [hand, action] float64, with the legal actions in the
    order of `result.actions`. Each of `result.actions` has the action's share over the range and
    its average value in penalty points; `result.value` is the value of the range. `resolve` and
    `caution` are those of `advise`.

    Raise ZhaifeiError as `advise` does, and if the bids before `bid` are unknown.
    """
    rules = policy.rules
    faced = parse_bid(bid, rules) if isinstance(bid, str) else bid
    bids = parse_history(rules, history) if isinstance(history, str) else history
    question = advising.Question(faced, bids, resolve, caution)
    *_, advice = advising.advise_range(policy, question)
    return advice


def evaluate(policy: Policy, *, gap: float = 0.0, seconds: float = 60.0) -> BestResponse:
    """Return what best responses earn against `policy`, with certified bounds.

    `result.exploitability` and `result.nash_conv` are intervals in penalty points per round that
    surely hold the value in the full game with perfect recall. The search ends when the interval of
    exploitability is at most `gap` wide, after about `seconds`, or with Ctrl-C. Raise ZhaifeiError
    if the policy breaks its rules.
    """
    return last_of(Evaluation(policy).refine(gap=gap, seconds=seconds), lambda so_far: None)


def load_openspiel_game(rules: Rules, rounds: int = 1) -> pyspiel.Game:
    """Register the OpenSpiel game `python_zhaifei`, and return it with these rules. Where dice are
    lost, 0 `rounds` are a whole match. Raise RulesError for rules that are not a preset in some
    size, and ZhaifeiError if OpenSpiel is not installed."""
    with needing_openspiel():
        from zhaifei.game.openspiel import load_game

    return load_game(rules, rounds)


def to_openspiel(policy: Policy) -> openspiel_policy.Policy:
    """Return `policy` as an OpenSpiel policy: a `TabularPolicy` for small games; for big ones a
    policy that queries `policy` at each state. See `policies.players.openspiel.to_openspiel`. Raise
    ZhaifeiError if OpenSpiel is not installed."""
    with needing_openspiel():
        from zhaifei.policies.players import openspiel

    return openspiel.to_openspiel(policy)


def from_openspiel(policy: openspiel_policy.Policy | pyspiel.Policy, rules: Rules) -> Policy:
    """Return an OpenSpiel policy of `python_zhaifei`, in Python or C++, as a `Policy`. See
    `policies.players.openspiel.from_openspiel`. Raise ZhaifeiError if OpenSpiel is not installed.
    """
    with needing_openspiel():
        from zhaifei.policies.players import openspiel

    return openspiel.from_openspiel(policy, rules)
