"""Options whose value may be left out."""

import click
import pytest

from zhaifei.app.terminal.help_texts import Command
from zhaifei.app.terminal.optional_value import OptionalValue


@click.command(cls=Command)
@click.option("--cluster", cls=OptionalValue, alone="local")
@click.option("--out")
@click.option("-q", is_flag=True)
@click.argument("names", nargs=-1)
def command(cluster: str | None, out: str | None, q: bool, names: tuple[str, ...]) -> str:
    return f"{cluster} {out} {q} {' '.join(names)}".strip()


@pytest.mark.parametrize(
    ("line", "understood"),
    [
        ("", "None None False"),
        ("--cluster", "local None False"),
        ("--cluster -q", "local None True"),
        ("--cluster --out x", "local x False"),
        ("--out x --cluster", "local x False"),
        ("--cluster ray:1", "ray:1 None False"),
        ("--cluster=ray:1 name", "ray:1 None False name"),
        ("--cluster=-q", "-q None False"),
        ("--cluster -- name", "local None False name"),
    ],
)
def test_the_value_is_what_follows_or_the_one_alone(line: str, understood: str) -> None:
    assert command(line.split(), standalone_mode=False) == understood
