"""The four parts of `game.rules.Rules`: the table, the bidding, the counting and the stakes.

Each part is frozen and hashable, and raises RulesError on construction for a value that no variant
can have. Values may come from a file, so their types are checked too. Rules that concern several
parts are checked by `Rules`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import Field, dataclass, fields
from enum import IntEnum, StrEnum
from reprlib import repr as shortened
from typing import Any, ClassVar, TypedDict, cast

from zhaifei.game.errors import ZhaifeiError

MOST_DOUBLES = 3
"""The largest number of times that the stakes of a round may be doubled."""
HIGHEST_STAKES = 16
"""The largest number of penalty points that a doubled round may cost."""


class RulesError(ZhaifeiError):
    """Raised for invalid rules."""


class Mode(IntEnum):
    """How a bid counts: 飞 (the wild face counts as every face) or 斋 (it does not)."""

    FEI = 0
    ZHAI = 1


class Raising(StrEnum):
    """Which raises may follow a bid."""

    STRONGER = "stronger"
    """Bids with a higher count, or with the same count and a higher face. Between 飞 and 斋,
    `fei_to_zhai` and `zhai_to_fei` say which counts follow."""
    FACE_OR_COUNT = "face_or_count"
    """Bids with a higher count and a face no lower, or with the same count and a higher face."""
    ONE_MORE = "one_more"
    """Bids with a count exactly one higher, of any face. A round opens with a count of one, unless
    `forced_opening` is set."""


class Straight(StrEnum):
    """How a straight (顺子) counts: a hand whose dice all show different faces."""

    COUNTS = "counts"
    """Its dice count like all dice."""
    NOTHING = "nothing"
    """Its dice count towards no bid."""
    ROLLED_AGAIN = "rolled_again"
    """The hand is rolled again until it is no straight."""
    BY_WISH = "by_wish"
    """Before the bidding the owner of a straight shows it and has it rolled again, or keeps it
    unseen. `Rules` refuses this reading, since no solver or player here decides anything before the
    bidding."""


class FiveAlike(StrEnum):
    """围骰, 豹子: whether a hand counts more than its dice towards a bid.

    The readings are not about five dice only, but about all dice of a hand.
    """

    NOTHING = "nothing"
    """No hand counts more than its dice."""
    ONE_MORE = "one_more"
    """A hand whose dice all show one face counts one die more towards each bid to which its dice
    count."""
    TWO_IF_PURE = "two_if_pure"
    """纯: a hand whose dice all count towards a bid counts two dice more if they all show the face
    of the bid, and one die more otherwise."""


class FeiToZhai(StrEnum):
    """Which 斋 bids may follow a 飞 bid."""

    STRENGTH = "strength"
    """More than half the count, or half the count and a higher face: the stronger bids if a 斋
    count is doubled."""
    FLAT = "flat"
    """A higher count, or the same count and a higher face."""
    ONE_LESS = "one_less"
    """At least one less than the count, of any face."""
    HALF = "half"
    """At least half the count, rounded up, of any face."""
    MORE_THAN_HALF = "more_than_half"
    """More than half the count, of any face."""
    FORBIDDEN = "forbidden"
    """None: after a 飞 bid, only 飞 bids follow."""


class ZhaiToFei(StrEnum):
    """Which 飞 bids may follow a 斋 bid."""

    STRENGTH = "strength"
    """More than double the count, or double the count and a higher face: the stronger bids if a 斋
    count is doubled."""
    DOUBLE = "double"
    """At least double the count, of any face."""
    DOUBLE_PLUS_ONE = "double_plus_one"
    """More than double the count, of any face."""
    PLUS_TWO = "plus_two"
    """At least two more than the count, of any face."""
    PLUS_PLAYERS = "plus_players"
    """At least the number of players more than the count, of any face."""
    FORBIDDEN = "forbidden"
    """None: after a 斋 bid, only 斋 bids follow (斋到底)."""


class JumpCost(StrEnum):
    """What the challenge of an earlier bid (跳开) costs its loser."""

    DISTANCE = "distance"
    """One penalty point for each bid that the challenged bid lies back."""
    ONE = "one"
    """One penalty point, like the challenge of the last bid."""
    TWO = "two"
    """Two penalty points."""


class GivingUp(StrEnum):
    """What giving up (认输) costs a player whose bid was doubled (劈), or whose 劈 was doubled."""

    FORBIDDEN = "forbidden"
    """Giving up is not allowed: the dice are shown, unless the stakes are doubled again."""
    ONE = "one"
    """One penalty point."""
    HALF = "half"
    """Half the stakes."""


@dataclass(frozen=True)
class Table:
    """The players and their dice."""

    dice: tuple[int, ...] = (5, 5)
    """[player] the number of dice of each player, from the one who opens the round on. Where dice
    are lost, [seat] at the start of the match. Only two players may have different numbers."""
    faces: int = 6
    """The number of faces of each die."""

    def __post_init__(self) -> None:
        _verify_kinds(self)
        object.__setattr__(self, "dice", tuple(self.dice))
        verify_players(self.players)
        for dice in self.dice:
            if not 1 <= dice <= 9:
                raise RulesError("dice is {dice}; each player has 1 to 9 dice", dice=dice)
        if self.uneven and self.players != 2:
            raise RulesError(
                "dice is {dice} for {players} players; only two players may have different numbers "
                "of dice",
                dice=",".join(map(str, self.dice)),
                players=self.players,
            )
        if not 2 <= self.faces <= 9:
            raise RulesError("faces is {faces}; a die has 2 to 9 faces", faces=self.faces)

    @property
    def players(self) -> int:
        """The number of players."""
        return len(self.dice)

    @property
    def most_dice(self) -> int:
        """The number of dice of the player with most dice."""
        return max(self.dice)

    @property
    def total_dice(self) -> int:
        """The number of dice on the table, at the start if dice are lost."""
        return sum(self.dice)

    @property
    def uneven(self) -> tuple[int, ...]:
        """The numbers of dice if they differ; empty otherwise."""
        return self.dice if len({*self.dice}) > 1 else ()


@dataclass(frozen=True)
class BiddingRules:
    """Which bids exist, and which may follow which."""

    modes: tuple[Mode, ...] = (Mode.FEI, Mode.ZHAI)
    """The modes in which a bid may be made."""
    wild_may_be_named: bool = False
    """Whether a 飞 bid may name the wild face itself."""
    first_count: int = 0
    """The smallest count that may open a round; in `Rules`, 0 selects `default_first_count`."""
    first_zhai: int = 0
    """The smallest count of a 斋 bid that may open a round; 0 stands for `first_count`."""
    first_ones: int = 0
    """The smallest count of a bid on the wild face that may open a round; 0 stands for the count of
    other bids in its mode."""
    raising: Raising = Raising.STRONGER
    """Which raises may follow a bid."""
    fei_to_zhai: FeiToZhai = FeiToZhai.STRENGTH
    """Which 斋 bids may follow a 飞 bid."""
    zhai_to_fei: ZhaiToFei = ZhaiToFei.STRENGTH
    """Which 飞 bids may follow a 斋 bid."""
    ones_highest: bool = False
    """叫一最大: whether the face 1 ranks above all other faces in comparisons of bids."""
    ones_end_fei: bool = False
    """叫一破飞: whether a bid that names the wild face ends 飞 for the rest of the round, so that
    only stronger 斋 bids follow. Earlier bids count as they were made."""
    forced_opening: bool = False
    """Whether the dice make the first bid of a round: on the face of which its starter holds most
    (the lowest of several), with a count of one more than the starter holds. Like `unbounded`, it
    requires 斋 only and raises of ONE_MORE."""
    unbounded: bool = False
    """Whether a bid may count more dice than there are on the table, up to UNBOUNDED_COUNT."""

    def __post_init__(self) -> None:
        _verify_kinds(self)
        self._verify_raising()
        self._verify_modes()

    def _verify_raising(self) -> None:
        """Raise RulesError for a field that says nothing about these raises."""
        one_more = self.raising is Raising.ONE_MORE
        for name, unused in {
            "ones_highest": one_more,
            "first_zhai": one_more,
            "first_ones": one_more,
            "fei_to_zhai": self.raising is not Raising.STRONGER,
            "zhai_to_fei": self.raising is not Raising.STRONGER,
        }.items():
            if unused and self._is_set(name):
                raise RulesError(
                    "{name} changes nothing where raising is {raising}",
                    name=name,
                    raising=self.raising.value,
                )
        for name in ("forced_opening", "unbounded"):
            if self._is_set(name) and not (one_more and self.modes == (Mode.ZHAI,)):
                raise RulesError("{name} requires 斋 only, and raising one_more", name=name)

    def _verify_modes(self) -> None:
        """Raise RulesError for a field that says nothing about bids in these modes."""
        for name in ("fei_to_zhai", "zhai_to_fei", "first_zhai", "ones_end_fei"):
            if self._is_set(name) and len(self.modes) < len(Mode):
                raise RulesError("{name} requires both 飞 and 斋", name=name)
        stays = self.zhai_to_fei is ZhaiToFei.FORBIDDEN
        if self.ones_end_fei and stays and not self.wild_may_be_named:
            raise RulesError(
                "ones_end_fei changes nothing where no 飞 follows 斋: only 斋 names ones"
            )

    def _is_set(self, name: str) -> bool:
        return bool(getattr(self, name) != getattr(type(self), name))


@dataclass(frozen=True)
class Counting:
    """What the dice count towards a bid."""

    wild: int = 1
    """The face that counts as every face under 飞."""
    straight: Straight = Straight.COUNTS
    """How a straight (顺子) counts: a hand whose dice all show different faces."""
    five_alike: FiveAlike = FiveAlike.NOTHING
    """围骰: which hands count more than their dice."""

    def __post_init__(self) -> None:
        _verify_kinds(self)

    @property
    def by_hand(self) -> bool:
        """Whether what a die counts depends on its hand, or the dice of a hand depend on each
        other."""
        return self.most_more > 0 or self.straight is not Straight.COUNTS

    @property
    def most_more(self) -> int:
        """The largest number that a hand counts more than its dice."""
        return {FiveAlike.NOTHING: 0, FiveAlike.ONE_MORE: 1, FiveAlike.TWO_IF_PURE: 2}[
            self.five_alike
        ]


@dataclass(frozen=True)
class Points:
    """The loser of a round takes penalty points."""

    jump_challenge: bool = False
    """跳开: whether bids before the last may be challenged. With two players it changes nothing,
    and `Rules` resets it to False, so that equivalent rules compare equal."""
    jump_cost: JumpCost = JumpCost.DISTANCE
    """What the challenge of a bid before the last costs. With three players the distance is two
    points, and `Rules` resets TWO to DISTANCE."""
    doubled: tuple[int, ...] = ()
    """劈 and 反劈: the stakes in penalty points after each double, ascending: (2, 4) allows one 劈
    and one 反劈. Empty if nobody may double. Instead of challenging the last bid, a player doubles.
    Then the other player shows the dice, doubles again, or gives up."""
    giving_up: GivingUp = GivingUp.ONE
    """What it costs to give up after a double."""
    loses_dice: ClassVar[bool] = False
    winner_starts: ClassVar[bool] = False
    out_of_turn: ClassVar[bool] = False
    forfeits: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _verify_kinds(self)
        if self.jump_cost is not JumpCost.DISTANCE and not self.jump_challenge:
            raise RulesError("jump_cost requires 跳开")
        if not self.doubled:
            if self.giving_up is not GivingUp.ONE:
                raise RulesError("giving_up requires stakes that may be doubled")
        elif self.giving_up is GivingUp.HALF and any(stakes % 2 for stakes in self.doubled):
            raise RulesError(
                "half the stakes is no whole number of points: doubled is {value}",
                value=",".join(map(str, self.doubled)),
            )


@dataclass(frozen=True)
class LostDice:
    """The loser of a round loses a die. A player without dice is out, and the last one left wins
    the match."""

    winner_starts: bool = False
    """Whether the winner of a round starts the next, instead of its loser."""
    out_of_turn: bool = False
    """Whether after each bid every other player, in turn order, is asked once whether to challenge
    it; a player who declines cannot challenge it on their own turn."""
    forfeits: bool = False
    """Whether an invalid bid forces the bidder to challenge the bid before it or, if there is none,
    costs the bidder a die. Otherwise an invalid bid has no effect and the player chooses again."""
    loses_dice: ClassVar[bool] = True
    jump_challenge: ClassVar[bool] = False
    jump_cost: ClassVar[JumpCost] = JumpCost.DISTANCE
    doubled: ClassVar[tuple[int, ...]] = ()
    giving_up: ClassVar[GivingUp] = GivingUp.ONE

    def __post_init__(self) -> None:
        _verify_kinds(self)


Stakes = Points | LostDice
"""What a round is played for."""


def verify_players(players: int) -> None:
    """Raise RulesError unless as many can play as `players`."""
    verify_number("players", players)
    if not 2 <= players <= 8:
        raise RulesError("players is {players}; it must be 2 to 8", players=players)


class Fields(TypedDict, total=False):
    """All fields of the parts, by the names under which options and files set them."""

    players: int
    dice: int | tuple[int, ...]
    """The number of dice of each player, or [player] the numbers."""
    faces: int
    modes: tuple[Mode, ...]
    wild_may_be_named: bool
    first_count: int
    first_zhai: int
    first_ones: int
    raising: Raising | str
    fei_to_zhai: FeiToZhai | str
    zhai_to_fei: ZhaiToFei | str
    ones_highest: bool
    ones_end_fei: bool
    forced_opening: bool
    unbounded: bool
    wild: int
    straight: Straight | str
    five_alike: FiveAlike | str
    loses_dice: bool
    """Whether the stakes are LostDice instead of Points."""
    jump_challenge: bool
    jump_cost: JumpCost | str
    doubled: tuple[int, ...]
    giving_up: GivingUp | str
    winner_starts: bool
    out_of_turn: bool
    forfeits: bool


def names_of(part: type[object]) -> tuple[str, ...]:
    """Return the names of the fields of a part."""
    return tuple(field.name for field in fields(cast("Any", part)))


def _verify_kinds(part: Any) -> None:
    """Raise RulesError for a field of `part` of another kind than its default; turn the values of
    enumerations into their members."""
    for field in fields(part):
        verify = _KINDS.get(type(field.default))
        value = getattr(part, field.name)
        if verify is not None:
            verify(field.name, value)
        else:
            object.__setattr__(part, field.name, _read(field, value))


def _read(field: Field[Any], value: Any) -> object:
    """Return the value of a field that holds several values or a member of an enumeration."""
    if field.name == "dice":
        return _verify_dice(value)
    if field.name == "doubled":
        return _verify_doubled(value)
    return _verify_modes(value) if field.name == "modes" else _member(field, value)


def verify_number(name: str, value: object) -> None:
    """Raise RulesError unless `value` is an int, and no bool."""
    if type(value) is not int:
        raise RulesError(
            "{name} is {value}; it must be a whole number", name=name, value=shortened(value)
        )


def verify_switch(name: str, value: object) -> None:
    """Raise RulesError unless `value` is a bool."""
    if type(value) is not bool:
        raise RulesError(
            "{name} is {value}; it must be true or false", name=name, value=shortened(value)
        )


_KINDS = {int: verify_number, bool: verify_switch}


def _verify_dice(dice: Sequence[int]) -> tuple[int, ...]:
    if not isinstance(dice, tuple | list) or any(type(one) is not int for one in dice):
        raise RulesError("dice is {value}; it must be numbers of dice", value=shortened(dice))
    return tuple(dice)


def _verify_doubled(doubled: Sequence[int]) -> tuple[int, ...]:
    sound = isinstance(doubled, tuple | list) and all(type(one) is int for one in doubled)
    if (
        not sound
        or len(doubled) > MOST_DOUBLES
        or any(
            not before < stakes <= HIGHEST_STAKES
            for before, stakes in zip((1, *doubled), doubled, strict=False)
        )
    ):
        raise RulesError(
            "doubled is {value}; it must be up to {most} ascending stakes of 2 to {highest} points",
            value=shortened(doubled),
            most=MOST_DOUBLES,
            highest=HIGHEST_STAKES,
        )
    return tuple(doubled)


def _verify_modes(modes: Sequence[int]) -> tuple[Mode, ...]:
    try:
        found = tuple(map(Mode, modes))
    except (TypeError, ValueError) as error:
        raise _no_modes(modes) from error
    if not found or [*found] != sorted({*found}):
        raise _no_modes(found)
    return found


def _no_modes(modes: object) -> RulesError:
    return RulesError(
        "modes is {modes}; it must be 飞, 斋 or both, each once", modes=shortened(modes)
    )


def _member(field: Field[Any], value: str) -> StrEnum:
    kind = cast("type[StrEnum]", type(field.default))
    try:
        return kind(value)
    except ValueError as error:
        raise RulesError(
            "{name} is {value}; it must be one of {known}",
            name=field.name,
            value=shortened(value),
            known=", ".join(kind),
        ) from error
