"""The rules of a variant as one value, and the named variants."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from enum import IntEnum
from typing import Any

from game.errors import ZhaifeiError


class Mode(IntEnum):
    """How a bid counts: 飞 (the wild face counts as every face) or 斋 (it does not)."""

    FEI = 0
    ZHAI = 1


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

    def __post_init__(self) -> None:
        # Values may come from a file, so their types are checked too.
        for name in ("players", "dice", "faces", "wild", "zhai_weight", "first_count"):
            value = getattr(self, name)
            if type(value) is not int:
                raise RulesError(
                    "{name} is {value!r}; it must be a whole number", name=name, value=value
                )
        for name in ("wild_may_be_named", "jump_challenge"):
            value = getattr(self, name)
            if type(value) is not bool:
                raise RulesError(
                    "{name} is {value!r}; it must be true or false", name=name, value=value
                )
        if self.players == 2:
            object.__setattr__(self, "jump_challenge", False)
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

    @property
    def total_dice(self) -> int:
        """Dice on the table, and so the largest count that can be bid."""
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


PRESETS: dict[str, Callable[..., Rules]] = {
    "zhaifei": _zhaifei,
    "basic": _basic,
    "liars_dice": _liars_dice,
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
    for name in PRESETS:
        named = preset(
            name, players=rules.players, dice=rules.dice, faces=rules.faces,
            jump_challenge=rules.jump_challenge,
        )  # fmt: skip
        if named == rules:
            return name
    return None
