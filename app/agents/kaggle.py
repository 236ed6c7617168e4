"""An environment in the form of Kaggle's `kaggle_environments`: agents play a match against each
other.

    from kaggle_environments import make
    from zhaifei.app.agents.kaggle import ENVIRONMENT

    env = make(ENVIRONMENT, configuration={"rounds": 10})
    env.run(["policy", "random"])

An agent gets an observation with its dice, the bids and all legal actions, and as text the same as
every other program that plays by text; it returns an action as text. The reward is what it earned
a round: each player pays the own penalty points, and gets an equal share of those of others. An
illegal answer ends the match: Kaggle gives the agent the status INVALID and no reward, and the
others share a point for every round that is left.

Kaggle shows an agent the configuration, so that the seed must not be a part of it: it stands in
`info`, as in `make(ENVIRONMENT, info={"seed": 7})`. The match is replayed from the seed and the
steps so far, so that an environment is nothing but its steps.

This module does not import `kaggle_environments`: `register` does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from random import choice
from typing import Any

import numpy as np

from zhaifei.app.agents.shared_match import SharedMatch
from zhaifei.app.agents.text_game import position_json, round_text, rules_text
from zhaifei.app.pocket.rules_tables import PLAYERS
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hand_index
from zhaifei.game.notation import format_action, parse_hand, parse_history
from zhaifei.game.rules import PRESETS, Rules, preset
from zhaifei.policies.catalogue.known import load_known
from zhaifei.policies.play.seeds import drawn_seed
from zhaifei.policies.players.reading_policy import ReadingPolicy, as_played
from zhaifei.policies.players.table_policy import TablePolicy

NAME = "liars_dice_of_china"
"""The name under which `register` makes the environment known."""


def _field(description: str, kind: str | list[str], **more: Any) -> dict[str, Any]:
    """Return the JSON schema of a field."""
    return {"description": description, "type": kind, **more}


def _texts(description: str) -> dict[str, Any]:
    return _field(description, "array", items={"type": "string"}, default=[])


_CONFIGURATION = {
    "episodeSteps": _field("Maximum number of steps.", "integer", minimum=1, default=10_000),
    "actTimeout": _field("Seconds for an action.", "number", minimum=0, default=60),
    "rounds": _field("Rounds of a match.", "integer", minimum=1, maximum=1000, default=10),
    "rules": _field(
        "The name of rules in which no dice are lost.",
        "string",
        enum=[name for name, its in PRESETS.items() if not its().loses_dice],
        default="zhaifei",
    ),
}
_OBSERVATION = {
    "player": _field("The place of the agent.", "integer", defaults=list(range(max(PLAYERS)))),
    "players": _field("The number of players.", "integer", default=2),
    "hand": _field("The faces of the agent's dice.", "string", default=""),
    "history": _field("The bids of the round.", "string", default=""),
    "legal": _texts("The legal actions, if the agent decides."),
    "text": _field("The rules and the position, to read.", "string", default=""),
    "ended": _texts("The rounds that have ended, with all dice."),
    "remainingOverageTime": 60,
}
SPECIFICATION: dict[str, Any] = {
    "name": NAME,
    "title": "Liar's Dice of China",
    "description": "斋飞: bid how many dice on the table show a face, or challenge.",
    "version": "1.0.0",
    "agents": list(PLAYERS),
    "configuration": _CONFIGURATION,
    "reward": _field("What the agent earned, in points.", ["number", "null"], default=0),
    "observation": _OBSERVATION,
    "action": _field("f5x4, z2x5, challenge, ...", ["string", "null"], default=None),
}
"""The specification, by the schema of `kaggle_environments`."""


def interpreter(state: Sequence[Any], env: Any) -> Sequence[Any]:
    """Return the states of all agents after their actions, as `kaggle_environments` asks it of an
    environment."""
    if env.done:  # at a reset
        env.info.setdefault("seed", drawn_seed())
        _show(state, _begun(state, env))
        return state
    play = _begun(state, env)
    for text in _answers(env):
        play.act(text)
    turn = next(seat for seat, agent in enumerate(env.state) if agent.status == "ACTIVE")
    if state[turn].status != "ACTIVE":  # it timed out or failed
        _end(state, play, turn)
        return state
    try:
        play.act(state[turn].action or "")
    except ZhaifeiError as why:
        state[turn].status = "INVALID"
        state[turn].info["why"] = str(why)
        _end(state, play, turn)
    else:
        _show(state, play)
    return state


def _begun(state: Sequence[Any], env: Any) -> SharedMatch:
    rules = preset(env.configuration.rules, players=len(state))
    return SharedMatch(rules, env.configuration.rounds, env.info["seed"])


def _answers(env: Any) -> Iterator[str]:
    """Yield the answers of the steps so far, oldest first."""
    for before, after in zip(env.steps, env.steps[1:], strict=False):
        for one, then in zip(before, after, strict=True):
            if one["status"] == "ACTIVE":
                yield then["action"]


def _show(state: Sequence[Any], play: SharedMatch) -> None:
    """Show each agent what it may know, and give the turn to the one who decides."""
    rules, its = play.match.rules, play.round
    ended = [round_text(rules, played) for played in play.ended]
    for seat, (agent, reward) in enumerate(zip(state, play.rewards(), strict=True)):
        agent.reward = reward
        agent.observation.players, agent.observation.ended = rules.players, ended
        agent.observation.legal, agent.observation.text = [], ""
        if its is None:
            agent.status = "DONE"
            continue
        told = position_json(its.view(seat))
        agent.observation.hand, agent.observation.history = told["hand"], told["history"]
        agent.status = "ACTIVE" if seat == its.turn else "INACTIVE"
        if seat == its.turn:
            agent.observation.legal = told["legal"]
            agent.observation.text = f"{rules_text(rules)}\n{told['text']}"


def _end(state: Sequence[Any], play: SharedMatch, offender: int) -> None:
    """End the match because of a player without a legal answer."""
    for seat, (agent, reward) in enumerate(zip(state, play.rewards(offender), strict=True)):
        agent.reward = reward
        if seat != offender:
            agent.status = "DONE"


def renderer(state: Sequence[Any], env: Any) -> str:
    """Return the rounds that have ended and the rewards, as text."""
    lines = [*state[0].observation.ended]
    lines.append(", ".join(f"{place}: {agent.reward}" for place, agent in enumerate(state)))
    return "\n".join(lines)


def html_renderer(env: Any) -> str:
    """Return the JavaScript that shows the text of the observations."""
    return (
        "function renderer(context) {"
        " const state = context.environment.steps[context.step];"
        " context.parent.innerText = state.map((one) => one.observation.text).join('\\n') +"
        " '\\n' + (state[0].observation.ended || []).join('\\n'); }"
    )


def random_agent(observation: Mapping[str, Any], configuration: Mapping[str, Any]) -> str:
    """Return a legal action, each with the same probability."""
    return str(choice(observation["legal"]))


def policy_agent(observation: Mapping[str, Any], configuration: Mapping[str, Any]) -> str:
    """Return an action that is drawn from the policy known for the rules."""
    rules = preset(configuration["rules"], players=observation["players"])
    policy = _known_policy(rules)
    history = parse_history(rules, observation["history"])
    hand = hand_index(rules, parse_hand(rules, observation["hand"]))
    played = policy.strategy(history)[hand]
    action = np.random.default_rng().choice(len(played), p=played / played.sum())
    return format_action(rules, int(action))


@lru_cache(maxsize=2)
def _known_policy(rules: Rules) -> TablePolicy | ReadingPolicy:
    return as_played(load_known(None, rules).policy)


AGENTS = {"random": random_agent, "policy": policy_agent}
"""The agents that come with the environment, by name."""
ENVIRONMENT: dict[str, Any] = {
    "specification": SPECIFICATION,
    "interpreter": interpreter,
    "renderer": renderer,
    "html_renderer": html_renderer,
    "agents": AGENTS,
}
"""The environment, as `kaggle_environments.make` takes it."""


def register() -> None:
    """Make the environment known to `kaggle_environments.make` as NAME."""
    from kaggle_environments import register as make_known  # noqa: PLC0415  # it is heavy

    make_known(NAME, ENVIRONMENT)
