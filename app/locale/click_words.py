"""Texts of click that our commands can show, so that `pybabel extract` finds them.

click looks them up with gettext, in the domain that `app.locale` chooses; this file is never
imported.
"""

from gettext import gettext, ngettext

gettext("Usage:")
gettext("Options")
gettext("Positional arguments")
gettext("Commands")
gettext("default: {default}")
gettext("Try '{command} {option}' for help.")
gettext("Error: {message}")
gettext("No such option {name!r}.")
gettext("No such command {name!r}.")
ngettext("Did you mean {possibility}?", "(Did you mean one of: {possibilities}?)", 0)
gettext("Missing command.")
gettext("Missing option")
gettext("Missing argument")
ngettext("Option {name!r} requires an argument.", "Option {name!r} requires {nargs} arguments.", 0)
gettext("Option {name!r} does not take a value.")
gettext("Argument {name!r} takes {nargs} values.")
ngettext(
    "Got unexpected extra argument ({args})",
    "Got unexpected extra arguments ({args})",
    0,
)
gettext("Invalid value: {message}")
gettext("Invalid value for {param_hint}: {message}")
gettext("{value!r} is not a valid {number_type}.")
gettext("{value} is not in the range {range}.")
ngettext("{value!r} is not {choice}.", "{value!r} is not one of {choices}.", 0)
