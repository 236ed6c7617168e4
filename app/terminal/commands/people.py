"""`zhaifei people`."""

from __future__ import annotations

import click

from zhaifei.app.locale import say
from zhaifei.app.terminal.commands.options import debug, json_option, lang
from zhaifei.app.terminal.help_texts import Command


@click.command(cls=Command)
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--forget", is_flag=True, help="Forget what the records so far show of the NAMEs.")
@json_option
@lang
@debug
def people(names: tuple[str, ...], forget: bool, as_json: bool) -> None:
    """Say how the people in your records play, as their dice have shown them.

    They are known by the names in records that `play`, `record` and the page have kept. `query
    --among NAME` advises against them. Nothing about them leaves this machine.
    """
    if forget and not names:
        raise click.UsageError(say("--forget needs the names of whom to forget"))
    from zhaifei.app.said import say_portrait
    from zhaifei.app.terminal.as_json import person_json, print_json
    from zhaifei.app.terminal.console import new_console
    from zhaifei.app.terminal.kept_people import remembered
    from zhaifei.game.rules import preset
    from zhaifei.policies.advice import remembered as store
    from zhaifei.policies.advice.people import portrait_of
    from zhaifei.policies.advice.seen import SeenPerson

    shown, rules = remembered(), preset("zhaifei")
    found = [
        SeenPerson(name, store.person_named(rules, name, shown))
        for name in names or sorted(shown, key=lambda name: (-len(shown[name]), name))
    ]
    if forget:
        store.forget(names)
        print(say("forgotten: {names}", names=", ".join(names)))
        return
    if as_json:
        print_json({"people": [person_json(one) for one in found]})
        return
    console = new_console()
    for one in found:
        portrait = say_portrait(portrait_of(one.person))
        text = say("{name}: {portrait}", name=one.name, portrait=portrait)
        console.print(text, soft_wrap=True, markup=False)
    if not found:
        print(say("no kept record has anybody with a name"))
