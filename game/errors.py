"""The base of every error that a user, rather than a programmer, can cause."""


class ZhaifeiError(ValueError):
    """A request that cannot be met; its message is one line fit for a user."""
