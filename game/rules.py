"""The rules of a variant as one value, and the named variants."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from enum import IntEnum, StrEnum
from typing import Any

from game.errors import ZhaifeiError
from game.messages import Message


class Mode(IntEnum):
    """How a bid counts: 飞 (the wild face counts as every face) or 斋 (it does not)."""

    FEI = 0
    ZHAI = 1


class Raising(StrEnum):
    """Which bids may follow which."""

    STRONGER = "stronger"
    """Those of more strength (大小)."""
    FACE_OR_COUNT = "face_or_count"
    """More dice of a face at least as high, or as many of a higher face."""
    ONE_MORE = "one_more"
    """One die more, exactly, of any face; a round opens with one."""


class RulesError(ZhaifeiError):
    """Rules that describe no game."""


def default_first_count(players: int, dice: int) -> int:
    """The smallest count that may open a round: more than one die per player.

    With one die each no such bid exists, and any count may open.
    """
    return 1 if dice == 1 else players + 1


@dataclass(frozen=True)
class Rules:
    """One variant of the game. Frozen and hashable: tables are cached per value.

    Raises RulesError on construction if a field is out of its range.
    """

    players: int = 2
    dice: int = 5
    """Dice of each player."""
    faces: int = 6
    modes: tuple[Mode, ...] = (Mode.FEI, Mode.ZHAI)
    wild: int = 1
    """The face that counts as every face under 飞."""
    wild_may_be_named: bool = False
    """Whether a 飞 bid may name the wild face itself."""
    zhai_weight: int = 2
    """A 斋 bid of `count` is as strong as a 飞 bid of `zhai_weight * count`."""
    first_count: int = 0
    """Smallest count that may open a round; 0 stands for `default_first_count`."""
    jump_challenge: bool = False
    """跳开: whether earlier bids than the last may be challenged, for as many points as they lie
    back. Two players have nothing to jump over: for them the switch changes nothing and stays off,
    so that rules that are the same are equal."""
    raising: Raising = Raising.STRONGER
    loses_dice: bool = False
    """Whether a round costs its loser a die, not penalty points: `dice` is what each begins with,
    who has none left is out, and the last one left wins the match. The switches below need it."""
    winner_starts: bool = False
    """Whether the winner of a round starts the next, not its loser."""
    out_of_turn: bool = False
    """Whether after each bid every other player, in turn order, is asked once whether to challenge
    it; who is asked and declines cannot challenge when it is their turn to bid."""
    forfeits: bool = False
    """Whether an invalid bid forces the bidder to challenge the bid before it or, where there is
    none, costs the bidder a die. Elsewhere it changes nothing, and the player chooses again."""

    def __post_init__(self) -> None:
        # Values may come from a file, so their types are checked too.
        for name in ("players", "dice", "faces", "wild", "zhai_weight", "first_count"):
            value = getattr(self, name)
            if type(value) is not int:
                raise RulesError(
                    "{name} is {value!r}; it must be a whole number", name=name, value=value
                )
        for name in _SWITCHES:
            value = getattr(self, name)
            if type(value) is not bool:
                raise RulesError(
                    "{name} is {value!r}; it must be true or false", name=name, value=value
                )
        if self.players == 2:
            object.__setattr__(self, "jump_challenge", False)
        try:
            object.__setattr__(self, "raising", Raising(self.raising))
        except ValueError as error:
            raise RulesError(
                "raising is {raising!r}; it must be one of {known}",
                raising=self.raising, known=", ".join(Raising),
            ) from error  # fmt: skip
        try:
            object.__setattr__(self, "modes", tuple(Mode(m) for m in self.modes))
        except (TypeError, ValueError) as error:
            raise _no_modes(self.modes) from error
        if self.first_count == 0:
            object.__setattr__(self, "first_count", default_first_count(self.players, self.dice))
        self._verify_ranges()

    def _verify_ranges(self) -> None:
        players, dice, faces = self.players, self.dice, self.faces
        if not 2 <= players <= 8:
            raise RulesError("players is {players}; it must be 2 to 8", players=players)
        if not 1 <= dice <= 9:
            raise RulesError("dice is {dice}; each player has 1 to 9 dice", dice=dice)
        if not 2 <= faces <= 9:
            raise RulesError("faces is {faces}; a die has 2 to 9 faces", faces=faces)
        if not self.modes or list(self.modes) != sorted(set(self.modes)):
            raise _no_modes(self.modes)
        if not 1 <= self.wild <= faces:
            raise RulesError("wild is {wild}; it must be 1 to {faces}", wild=self.wild, faces=faces)
        if self.zhai_weight < 1:
            raise RulesError(
                "zhai_weight is {weight}; it must be positive", weight=self.zhai_weight
            )
        if not 1 <= self.first_count <= self.total_dice:
            raise RulesError(
                "first_count is {count}; it must be 1 to {dice}, the dice on the table",
                count=self.first_count, dice=self.total_dice,
            )  # fmt: skip
        if self.loses_dice and self.jump_challenge:
            raise RulesError("跳开 costs several points; where dice are lost it is not played")
        for name in ("winner_starts", "out_of_turn", "forfeits"):
            if getattr(self, name) and not self.loses_dice:
                raise RulesError("{name} is only played where dice are lost", name=name)

    def verify_costs_points(self) -> None:
        """Raises RulesError unless rounds are all alike and are played for penalty points, with
        raises by strength: what is solved, measured and played move by move."""
        if self.loses_dice or self.raising is not Raising.STRONGER:
            raise RulesError(
                "{rules} is not played for penalty points: it is for `zhaifei arena` only",
                rules=preset_name(self) or self,
            )

    @property
    def total_dice(self) -> int:
        """Dice on the table, where dice are lost at first, and so the largest count that can be
        bid."""
        return self.players * self.dice

    @property
    def furthest_challenge(self) -> int:
        """How many bids ago a bid may have been made at most to be challenged: every other player's
        last bid with 跳开, otherwise the last one."""
        return self.players - 1 if self.jump_challenge else 1

    def nameable_faces(self, mode: Mode) -> list[int]:
        """The faces that a bid in `mode` may name, ascending."""
        hidden = mode is Mode.FEI and not self.wild_may_be_named
        return [f for f in range(1, self.faces + 1) if not (hidden and f == self.wild)]

    @property
    def description(self) -> Message:
        """Which rules, how many players, and what dice."""
        sizes = {"players": self.players, "dice": self.dice, "faces": self.faces}
        name = preset_name(self) or Message("custom rules")
        if self.dice == 1:
            rules = Message(
                "{name}: {players} players, 1 die of {faces} faces each", name=name, **sizes
            )
        else:
            rules = Message(
                "{name}: {players} players, {dice} dice of {faces} faces each", name=name, **sizes
            )
        return Message("{rules}, with 跳开", rules=rules) if self.jump_challenge else rules

    def __str__(self) -> str:
        return str(self.description)

    def to_dict(self) -> dict[str, Any]:
        """Plain values only, for file headers; `from_dict` reads it back."""
        return {**asdict(self), "modes": [m.name.lower() for m in self.modes]}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Rules:
        """The inverse of `to_dict`; raises RulesError on anything else."""
        try:
            modes = tuple(Mode[name.upper()] for name in values["modes"])
            return cls(**{**values, "modes": modes})
        except (KeyError, TypeError, AttributeError) as error:
            raise RulesError("not a description of rules: {error}", error=error) from error


_SWITCHES = (
    "wild_may_be_named", "jump_challenge", "loses_dice", "winner_starts", "out_of_turn", "forfeits",
)  # fmt: skip


def _no_modes(modes: object) -> RulesError:
    return RulesError("modes is {modes!r}; name 飞, 斋 or both, once each", modes=modes)


def _zhaifei(players: int = 2, dice: int = 5, faces: int = 6) -> Rules:
    """The full game."""
    return Rules(players, dice, faces)


def _basic(players: int = 2, dice: int = 5, faces: int = 6) -> Rules:
    """飞 only: the base rules."""
    return Rules(players, dice, faces, modes=(Mode.FEI,))


def _liars_dice(players: int = 2, dice: int = 1, faces: int = 6) -> Rules:
    """OpenSpiel's `liars_dice`: the highest face is wild and may be named; any bid may open."""
    return Rules(
        players, dice, faces, (Mode.FEI,), wild=faces, wild_may_be_named=True, first_count=1
    )


def _knockout(players: int = 4, dice: int = 5, faces: int = 6) -> Rules:
    """飞 only, face and count never fall, anybody may challenge, the last one with dice wins."""
    return Rules(
        players, dice, faces, (Mode.FEI,), first_count=1, raising=Raising.FACE_OR_COUNT,
        loses_dice=True, winner_starts=True, out_of_turn=True, forfeits=True,
    )  # fmt: skip


def _increment(players: int = 4, dice: int = 6, faces: int = 6) -> Rules:
    """No wild face, each bid counts one die more, the last one with dice wins."""
    return Rules(
        players, dice, faces, (Mode.ZHAI,), first_count=1, raising=Raising.ONE_MORE, loses_dice=True
    )


PRESETS: dict[str, Callable[..., Rules]] = {
    "zhaifei": _zhaifei,
    "basic": _basic,
    "liars_dice": _liars_dice,
    "knockout": _knockout,
    "increment": _increment,
}


def preset(
    name: str,
    *,
    players: int | None = None,
    dice: int | None = None,
    faces: int | None = None,
    jump_challenge: bool = False,
) -> Rules:
    """The named variant, with the given sizes in place of its own, and with 跳开 or without.

    Raises RulesError for an unknown name or a size out of range.
    """
    if name not in PRESETS:
        raise RulesError(
            "no rules are called {name!r}; there are {presets}",
            name=name, presets=", ".join(PRESETS),
        )  # fmt: skip
    sizes = {"players": players, "dice": dice, "faces": faces}
    rules = PRESETS[name](**{key: value for key, value in sizes.items() if value is not None})
    return replace(rules, jump_challenge=jump_challenge)


def preset_name(rules: Rules) -> str | None:
    """The preset that `rules` is a version of, resized or with 跳开, or None."""
    ordinary = replace(rules, jump_challenge=False)
    for name in PRESETS:
        if ordinary == preset(name, players=rules.players, dice=rules.dice, faces=rules.faces):
            return name
    return None
