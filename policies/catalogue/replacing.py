"""Decide whether a file that holds a policy may be replaced: only by a policy that is not worse.

Two files are compared by the figure that training recorded (see `policies.catalogue.record`): the
lower one is the better policy. A policy without a figure never replaces one that has a figure.
Where the file has none, only the same method may replace it, after at least as much work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules
from zhaifei.policies.catalogue.record import record_of, trained_figure
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.files.header import Header
from zhaifei.solver.files.storage import NAMES, Kind, kind_of, load_header

_WORK = ("iterations", "steps", "matches")
"""The names by which training records its length; each method uses one of them."""


class InTheWay(ZhaifeiError):
    """A file that must not be replaced unless the user says so; the message names it."""


class Product(NamedTuple):
    """What a file holds, or is to hold."""

    kind: Kind
    rules: Rules
    method: str
    """How it is computed, like `tree, recall full`. Figures compare any two methods; where there
    are none, only policies of the same method are compared."""


class Plan(NamedTuple):
    """What determines the result of a run, except how long the run is."""

    product: Product
    """What the run writes at the end."""
    seed: int
    """0 where nothing is drawn at random."""
    measured: bool
    """Whether the run measures what it writes."""


class Content(NamedTuple):
    """A product with what is known of its quality."""

    product: Product
    figure: float | None
    """The recorded figure, the lower the better; None if there is none."""
    work: int
    """How many units training did: iterations, steps or matches; 0 if it is not recorded."""


def table_method(engine: object, recall: str) -> str:
    """Return the method of a table of strategies."""
    return f"{engine}, recall {recall}"


def names_against(header: Header) -> tuple[str, ...]:
    """Return the names of the players against whom the run with this header, or with this
    record of training, learns; none in self-play. Raise HeaderError."""
    if header.get("against") is None:
        return ()
    return tuple(Header({"against": name}).text("against") for name in header.elements("against"))


def learning_method(algorithm: str, against: Sequence[str]) -> str:
    """Return the method of a network that learnt `against` the players of these names, or by
    self-play if no names are given."""
    return ", ".join([algorithm, *(f"against {name}" for name in against)])


def new_content(product: Product, training: Mapping[str, Any]) -> Content:
    """Return what a file with this `training` record will say of its product."""
    return Content(product, trained_figure(product.rules, training), _work_in(training))


def _work_in(training: Mapping[str, Any]) -> int:
    return next((training[name] for name in _WORK if type(training.get(name)) is int), 0)


def content_of(path: Path) -> Content | None:
    """Return what the file at `path` holds; None if there is no file, or an empty one. Raises
    ZhaifeiError if the file holds no policy."""
    try:
        if path.stat().st_size == 0:
            return None
    except OSError:
        return None
    kind = kind_of(path)
    if kind in ("checkpoint", "part", "training"):
        raise InTheWay("{path} is {found}", path=path, found=NAMES[kind])
    header = load_header(path, kind)
    training = header.get("training")
    training = training if isinstance(training, dict) else {}
    method = training.get("algorithm", training.get("engine", ""))
    if kind == "policy":
        method = table_method(method, header.text("recall"))
    if kind == "weights":
        method = learning_method(str(method), names_against(Header(training)))
    rules = header.rules()
    figure = record_of(str(path), path, rules, training).figure
    return Content(Product(kind, rules, str(method)), figure, _work_in(training))


def verify_no_loss(path: Path, policy: TablePolicy) -> None:
    """Raise ZhaifeiError if a file of `policy` must not replace the one at `path`."""
    method = table_method(policy.training.get("engine", ""), policy.recall)
    new = new_content(Product("policy", policy.rules, method), policy.training)
    try:
        verify_replaceable(path, new.product, measured=new.figure is not None)
        old = content_of(path)
        if old is not None and is_worse(new, old):
            raise _better(path, new, old)
    except ZhaifeiError as error:
        raise ZhaifeiError("{why}; overwrite=True replaces it", why=error) from error


def _better(path: Path, new: Content, old: Content) -> InTheWay:
    """Return what to say of a file whose content is better than the new one."""
    if old.figure is not None and new.figure is not None:
        return InTheWay(
            "{path} holds a better policy: {old:.4g} there, {new:.4g} here",
            path=path,
            old=old.figure,
            new=new.figure,
        )
    return InTheWay("{path} holds a policy that was trained for longer", path=path)


def verify_replaceable(path: Path, product: Product, *, measured: bool) -> None:
    """Raise ZhaifeiError if a `product` must not be written to `path` however good it turns out.
    `measured` says whether it will have a figure."""
    old = content_of(path)
    if old is None:
        return
    if old.product.kind != product.kind:
        raise InTheWay(
            "{path} is {found}, not {wanted}",
            path=path,
            found=NAMES[old.product.kind],
            wanted=NAMES[product.kind],
        )
    if old.product.rules != product.rules:
        raise InTheWay(
            "{path} holds a policy for {its}, and this one is for {rules}",
            path=path,
            its=old.product.rules,
            rules=product.rules,
        )
    if old.figure is not None and not measured:
        raise InTheWay(
            "{path} holds a policy with a measured figure, {figure:.4g}; {method} has no "
            "measurement",
            path=path,
            figure=old.figure,
            method=product.method,
        )
    if old.figure is None and old.product.method != product.method:
        raise InTheWay(
            "{path} holds a policy of another method without a figure, {its}, so it cannot be "
            "compared with {method}",
            path=path,
            its=old.product.method,
            method=product.method,
        )


def is_worse(new: Content, old: Content) -> bool:
    """Return whether `new` must not replace `old`, because it is worse or may be."""
    if old.figure is not None:
        return new.figure is None or new.figure > old.figure
    return new.product.method != old.product.method or new.work < old.work
