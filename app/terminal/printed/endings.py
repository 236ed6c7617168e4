"""The reason why a training session ended before its goal, in words."""

from __future__ import annotations

from zhaifei.app.locale import say
from zhaifei.policies.training.run import End


def stopped_early(ended: End, done: str) -> str:
    """Return one line with the reason why a session ended, and the work that was `done` before."""
    if ended == "time":
        return say("stopped early, after {done}: the time limit has passed", done=done)
    if ended == "memory":
        return say("stopped early, after {done}: memory is full", done=done)
    return say("stopped early, after {done}: by a signal, such as Ctrl-C", done=done)
