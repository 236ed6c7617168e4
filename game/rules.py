"""`Rules`, one value that describes a variant, and the named presets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from enum import IntEnum, StrEnum
from reprlib import repr as shortened
from typing import Any

from game.errors import ZhaifeiError
from game.messages import Message


class Mode(IntEnum):
    """How a bid counts: 飞 (the wild face counts as every face) or 斋 (it does not)."""

    FEI = 0
    ZHAI = 1


class Raising(StrEnum):
    """Which bids may follow a bid."""

    STRONGER = "stronger"
    """Bids of greater strength (大小)."""
    FACE_OR_COUNT = "face_or_count"
    """A higher count and a face no lower, or the same count and a higher face."""
    ONE_MORE = "one_more"
    """A count exactly one higher, of any face; a round opens with a count of one, unless
    `forced_opening` says otherwise."""


class RulesError(ZhaifeiError):
    """Raised for invalid rules."""


def default_first_count(players: int, dice: int) -> int:
    """Return the smallest count that may open a round: `players` + 1.

    With one die each no such bid exists, so any count may open.
    """
    return 1 if dice == 1 else players + 1


@dataclass(frozen=True)
class Rules:
    """One variant of the game. Frozen and hashable: tables are cached per value.

    Raises RulesError on construction if a field is out of its range.
    """

    players: int = 2
    dice: int = 5
    """Dice per player."""
    faces: int = 6
    modes: tuple[Mode, ...] = (Mode.FEI, Mode.ZHAI)
    wild: int = 1
    """The face that counts as every face under 飞."""
    wild_may_be_named: bool = False
    """Whether a 飞 bid may name the wild face itself."""
    zhai_weight: int = 2
    """A 斋 bid of `count` has the strength of a 飞 bid of `zhai_weight * count`."""
    first_count: int = 0
    """Smallest count that may open a round; 0 selects `default_first_count`."""
    jump_challenge: bool = False
    """跳开: whether bids before the last may be challenged, at a cost of one point per bid back.
    With two players it changes nothing and is reset to False, so that equivalent rules compare
    equal."""
    raising: Raising = Raising.STRONGER
    loses_dice: bool = False
    """Whether the loser of a round loses a die instead of taking penalty points. Players start with
    `dice` dice; a player without dice is out, and the last one left wins the match. The switches
    below require it."""
    winner_starts: bool = False
    """Whether the winner of a round starts the next, instead of its loser."""
    out_of_turn: bool = False
    """Whether after each bid every other player, in turn order, is asked once whether to challenge
    it; a player who declines cannot challenge it on their own turn."""
    forfeits: bool = False
    """Whether an invalid bid forces the bidder to challenge the bid before it or, if there is none,
    costs the bidder a die. Otherwise an invalid bid has no effect and the player chooses again."""
    forced_opening: bool = False
    """Whether the dice make the first bid of a round: on the face of which its starter holds most
    (the lowest of several), with a count of one more than the starter holds. Like `unbounded`, it
    requires 斋 only and raises of ONE_MORE."""
    unbounded: bool = False
    """Whether a bid may count more dice than there are on the table, up to UNBOUNDED_COUNT."""

    def __post_init__(self) -> None:
        # Values may come from a file, so their types are checked too.
        for name in ("players", "dice", "faces", "wild", "zhai_weight", "first_count"):
            value = getattr(self, name)
            if type(value) is not int:
                raise RulesError(
                    "{name} is {value}; it must be a whole number",
                    name=name,
                    value=shortened(value),
                )
        for name in _SWITCHES:
            value = getattr(self, name)
            if type(value) is not bool:
                raise RulesError(
                    "{name} is {value}; it must be true or false", name=name, value=shortened(value)
                )
        if self.players == 2:
            object.__setattr__(self, "jump_challenge", False)
        try:
            object.__setattr__(self, "raising", Raising(self.raising))
        except ValueError as error:
            raise RulesError(
                "raising is {raising}; it must be one of {known}",
                raising=shortened(self.raising), known=", ".join(Raising),
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
            raise RulesError(
                "wild is {wild}; it must be a face from 1 to {faces}", wild=self.wild, faces=faces
            )
        if not 1 <= self.zhai_weight <= _HEAVIEST_ZHAI:
            raise RulesError(
                "zhai_weight is {weight}; it must be 1 to {most}",
                weight=self.zhai_weight, most=_HEAVIEST_ZHAI,
            )  # fmt: skip
        if not 1 <= self.first_count <= self.total_dice:
            raise RulesError(
                "first_count is {count}; it must be 1 to {dice}, the number of dice on the "
                "table",
                count=self.first_count, dice=self.total_dice,
            )  # fmt: skip
        if self.loses_dice and self.jump_challenge:
            raise RulesError("跳开 requires penalty points; it cannot be combined with losing dice")
        for name in ("winner_starts", "out_of_turn", "forfeits", *_OF_ONE_MORE):
            if getattr(self, name) and not self.loses_dice:
                raise RulesError("{name} requires rules in which dice are lost", name=name)
        for name in _OF_ONE_MORE:
            one_more = self.raising is Raising.ONE_MORE and self.modes == (Mode.ZHAI,)
            if getattr(self, name) and not one_more:
                raise RulesError("{name} requires 斋 only, and raising one_more", name=name)

    def verify_costs_points(self) -> None:
        """Raise RulesError unless rounds are played for penalty points with raises by strength, as
        solvers, measurements and live play require."""
        if self.loses_dice or self.raising is not Raising.STRONGER:
            raise RulesError(
                "{rules} is not played for penalty points: only `zhaifei arena` supports it",
                rules=preset_name(self) or self,
            )

    @property
    def total_dice(self) -> int:
        """Return the number of dice on the table, at the start if dice are lost."""
        return self.players * self.dice

    @property
    def highest_count(self) -> int:
        """Return the largest count that can ever be bid."""
        return UNBOUNDED_COUNT if self.unbounded else self.total_dice

    @property
    def furthest_challenge(self) -> int:
        """Return the largest distance, in bids, of a challenge: with 跳开 it reaches every other
        player's last bid, otherwise only the last bid."""
        return self.players - 1 if self.jump_challenge else 1

    def nameable_faces(self, mode: Mode) -> list[int]:
        """Return the faces that a bid in `mode` may name, ascending."""
        hidden = mode is Mode.FEI and not self.wild_may_be_named
        return [f for f in range(1, self.faces + 1) if not (hidden and f == self.wild)]

    @property
    def description(self) -> Message:
        """Return the name of the rules, the number of players and the dice, as a message."""
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
        """Return the fields as plain values, for file headers; `from_dict` is the inverse."""
        return {**asdict(self), "modes": [m.name.lower() for m in self.modes]}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Rules:
        """Return the rules that `to_dict` wrote as `values`. Raises RulesError if it did not."""
        try:
            unknown = {*values} - {field.name for field in fields(cls)}
            if unknown:
                raise KeyError(min(unknown))
            modes = tuple(Mode[name.upper()] for name in values["modes"])
            return cls(**{**values, "modes": modes})
        except (KeyError, TypeError, AttributeError) as error:
            why = str(error)[:_MOST_SHOWN]
            raise RulesError("invalid description of rules: {error}", error=why) from error


UNBOUNDED_COUNT = 99
"""The largest count where counts are unbounded, more than there can be dice on the table. Bids are
numbered, so there must be a last one; and players who always raise must come to an end."""
_MOST_SHOWN = 80
"""Characters of a foreign error that a message quotes."""
_HEAVIEST_ZHAI = 100
"""More than there can be dice on the table: then every 斋 bid is stronger than every 飞 bid."""
_SWITCHES = (
    "wild_may_be_named", "jump_challenge", "loses_dice", "winner_starts", "out_of_turn", "forfeits",
    "forced_opening", "unbounded",
)  # fmt: skip
_OF_ONE_MORE = ("forced_opening", "unbounded")


def _no_modes(modes: object) -> RulesError:
    return RulesError(
        "modes is {modes}; it must be 飞, 斋 or both, each once", modes=shortened(modes)
    )


def _zhaifei(players: int = 2, dice: int = 5, faces: int = 6) -> Rules:
    """Return the full game."""
    return Rules(players, dice, faces)


def _basic(players: int = 2, dice: int = 5, faces: int = 6) -> Rules:
    """Return the basic rules: 飞 only."""
    return Rules(players, dice, faces, modes=(Mode.FEI,))


def _liars_dice(players: int = 2, dice: int = 1, faces: int = 6) -> Rules:
    """Return OpenSpiel's `liars_dice`: the highest face is wild and nameable; any bid may open."""
    return Rules(
        players, dice, faces, (Mode.FEI,), wild=faces, wild_may_be_named=True, first_count=1
    )


def _knockout(players: int = 4, dice: int = 5, faces: int = 6) -> Rules:
    """Return `knockout`: 飞 only, faces and counts never fall, anybody may challenge, the last
    player with dice wins."""
    return Rules(
        players, dice, faces, (Mode.FEI,), first_count=1, raising=Raising.FACE_OR_COUNT,
        loses_dice=True, winner_starts=True, out_of_turn=True, forfeits=True,
    )  # fmt: skip


def _increment(players: int = 4, dice: int = 6, faces: int = 6) -> Rules:
    """Return `increment`: no wild face, each bid raises the count by one, the last player with
    dice wins."""
    return Rules(
        players, dice, faces, (Mode.ZHAI,), first_count=1, raising=Raising.ONE_MORE, loses_dice=True
    )


def _published(players: int = 4, dice: int = 6, faces: int = 6) -> Rules:
    """Return `published`, the variant in which the learner of Oehm 2018 was taught: `increment`,
    but the dice make the first bid, and counts have no bound."""
    return replace(_increment(players, dice, faces), forced_opening=True, unbounded=True)


PRESETS: dict[str, Callable[..., Rules]] = {
    "zhaifei": _zhaifei,
    "basic": _basic,
    "liars_dice": _liars_dice,
    "knockout": _knockout,
    "increment": _increment,
    "published": _published,
}


def preset(
    name: str,
    *,
    players: int | None = None,
    dice: int | None = None,
    faces: int | None = None,
    jump_challenge: bool = False,
) -> Rules:
    """Return the named variant, with the given sizes in place of its own, with or without 跳开.

    Raises RulesError for an unknown name or a size out of range.
    """
    if name not in PRESETS:
        raise RulesError(
            "unknown rules {name!r}; known rules are {presets}",
            name=name, presets=", ".join(PRESETS),
        )  # fmt: skip
    sizes = {"players": players, "dice": dice, "faces": faces}
    rules = PRESETS[name](**{key: value for key, value in sizes.items() if value is not None})
    return replace(rules, jump_challenge=jump_challenge)


def preset_name(rules: Rules) -> str | None:
    """Return the name of the preset that `rules` equals up to sizes and 跳开, or None."""
    ordinary = replace(rules, jump_challenge=False)
    for name in PRESETS:
        if ordinary == preset(name, players=rules.players, dice=rules.dice, faces=rules.faces):
            return name
    return None
