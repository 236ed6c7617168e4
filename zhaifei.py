"""The public Python API, on one page: solve, load, ask and measure policies of Liar's Dice as it is
played in China (斋飞), and exchange them with OpenSpiel.

Whatever `__all__` lists keeps its name and meaning within a minor version; the packages behind it
(`game`, `solver`, `policies`) are free to change. Hands and bids may be given as people write them:
"11346", "飞4x6", "f4x6 z2x5".

`python -m zhaifei` runs the command line.
"""

from __future__ import annotations

if __name__ == "__main__":  # before anything is imported that takes time, as signals may come
    from cli import main

    main()

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from game.bids import Bid
from game.errors import ZhaifeiError, needing_openspiel
from game.hands import Hand, verify_hand
from game.notation import parse_bid, parse_hand, parse_history
from game.rules import PRESETS, Mode, Rules, preset
from policies.catalogue.known import load_known
from policies.catalogue.lock_file import load_locks, parse_locks
from policies.catalogue.replacing import verify_no_loss
from policies.measure.advice import Advice
from policies.measure.anytime import last_of
from policies.measure.evaluation import Evaluation
from policies.measure.locked_advice import LockAnswer, locked_advice
from policies.measure.range_advice import RangeAdvice, refined_range
from policies.measure.resolved_advice import refined_advice
from policies.players import table_policy
from policies.players.locks import Locks
from policies.players.policy import Policy
from policies.players.table_policy import TablePolicy
from policies.training.run import end_of
from policies.training.solver_run import new_solver_run
from solver.bounds import BestResponse, Bounds

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
    """Compute an approximate Nash strategy; nothing is written, and nothing is printed.

    Parameters
    ----------
    rules
        The variant: `preset("zhaifei")` is the full game of two.
    iterations
        (own hand, opponent hand) pairs traversed for each player, as in `zhaifei solve`; None
        stands for as many as it takes by default, or with a target for any number.
    target
        Stop, before so many, when the exploitability as last measured, with three players or more
        NashConv, is at most this, in penalty points per round.
    recall
        Sample, with information sets that remember only this of the bids (see `solver.tables
        .recall`); by default players forget nothing, and nothing is sampled.
    seed, threads
        Runs with the same seed and one thread repeat bit for bit; None stands for all cores.

    Raises
    ------
    ZhaifeiError
        No engine can solve these rules; a target that no strategy can miss or reach, or one for an
        engine that does not measure, as where a recall is named.
    """
    run = new_solver_run(
        rules, recall=recall, iterations=iterations, target=target, seed=seed, threads=threads
    )
    while end_of(run) is None:
        run.advance()
    return run.result()


def load_policy(source: str | Path | None = None, rules: Rules | None = None) -> TablePolicy:
    """Return the policy in the file `source`, or of the player of this name, or else the least
    exploitable one that is known for `rules` (by default the full game of two).

    Raises ZhaifeiError if there is none, or if it is for other rules; StorageError, which is one
    too, if the file cannot be read.
    """
    return load_known(None if source is None else Path(source), rules).policy


def save_policy(path: str | Path, policy: TablePolicy, *, overwrite: bool = False) -> None:
    """Write a policy file, completely or not at all.

    As `zhaifei solve` does, it replaces a policy for the same rules only by one that is not worse,
    going by the figures that training recorded, and nothing else at all. With `overwrite` it
    replaces any file. Raises ZhaifeiError otherwise; StorageError, which is one too, if the file
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
    a round opened it, and of other bids those before are unknown; without either the advice is how
    to open. Raises ZhaifeiError for text that is no hand or bid, and for what the rules forbid.

    With `resolve`, where the bids leave what the policy of two players would bid itself, the rest
    of the round is solved again from there, for about so many seconds: `zhaifei query` takes up to
    2. `caution` says how much to risk on what the opponent's bids make plausible. `advice.solved`
    tells of it.

    With `lock`, a lock file or what `load_locks` or `parse_locks` return, the opponent is supposed
    to play as it says. The answer is the best response to them or, with `lock_answer="solve"`, a
    solution in which both players adapt to what is locked, after about `resolve` seconds.
    `advice.locked` tells of it. Raises LockError, a ZhaifeiError that names the line, for a file or
    a lock that is none.
    """
    rules = policy.rules
    held: Hand = parse_hand(rules, hand) if isinstance(hand, str) else verify_hand(rules, hand)
    faced = parse_bid(bid, rules) if isinstance(bid, str) else bid
    bids = parse_history(rules, history) if isinstance(history, str) else history
    if lock is None:
        answers = refined_advice(policy, held, faced, bids, caution=caution, seconds=resolve)
    else:
        locks = lock if isinstance(lock, Locks) else load_locks(Path(lock), rules)
        answer = LockAnswer(lock_answer)
        answers = locked_advice(policy, held, faced, bids, locks, answer, resolve)
    *_, advice = answers
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

    `result.hands` has, in the order of `game.hands.hands`, what `advise` returns for each hand, and
    `result.weights` [hand] float64 how likely the player holds it, having bid as they did.
    `result.strategy` and `result.values` are [hand, action] float64, with the legal actions in the
    order of `result.actions`, which tell the share of each over the range and its average value in
    penalty points; `result.value` is that of the range. `resolve` and `caution` are those of
    `advise`.

    Raises ZhaifeiError as `advise` does, and if the bids before `bid` are unknown.
    """
    rules = policy.rules
    faced = parse_bid(bid, rules) if isinstance(bid, str) else bid
    bids = parse_history(rules, history) if isinstance(history, str) else history
    *_, advice = refined_range(policy, faced, bids, caution=caution, seconds=resolve)
    return advice


def evaluate(policy: Policy, *, gap: float = 0.0, seconds: float = 60.0) -> BestResponse:
    """Return what best responses earn against `policy`, with certified bounds.

    `result.exploitability` and `result.nash_conv` are intervals in penalty points per round, in the
    full game with perfect recall, that surely hold the value. The search ends when the interval of
    exploitability is at most `gap` wide, after about `seconds`, or with Ctrl-C. Raises ZhaifeiError
    if the policy breaks its rules.
    """
    return last_of(Evaluation(policy).refine(gap=gap, seconds=seconds), lambda so_far: None)


def load_openspiel_game(rules: Rules, rounds: int = 1) -> pyspiel.Game:
    """Register the OpenSpiel game `python_zhaifei`, and return it with these rules. Where dice are
    lost, 0 `rounds` are a whole match. Raises RulesError for rules that are no preset in some size,
    ZhaifeiError if OpenSpiel is not installed."""
    with needing_openspiel():
        from game.openspiel import load_game

    return load_game(rules, rounds)


def to_openspiel(policy: Policy) -> openspiel_policy.Policy:
    """Return `policy` as an OpenSpiel policy: a `TabularPolicy` for small games, one that asks
    `policy` at each state for big ones. See `policies.players.openspiel.to_openspiel`. Raises
    ZhaifeiError if OpenSpiel is not installed."""
    with needing_openspiel():
        from policies.players import openspiel

    return openspiel.to_openspiel(policy)


def from_openspiel(policy: openspiel_policy.Policy | pyspiel.Policy, rules: Rules) -> Policy:
    """Return an OpenSpiel policy of `python_zhaifei`, in Python or C++, as one of ours. See
    `policies.players.openspiel.from_openspiel`. Raises ZhaifeiError if OpenSpiel is not
    installed."""
    with needing_openspiel():
        from policies.players import openspiel

    return openspiel.from_openspiel(policy, rules)
