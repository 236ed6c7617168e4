"""A server for the tests of the page, with a policy that was solved for them."""

import signal
from collections.abc import Iterator

import pytest

from tests.app.web.browsing import Served
from tests.command_line import Solved


@pytest.fixture(scope="module")
def served(one_die: Solved, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    data = tmp_path_factory.mktemp("data")
    with Served("--policy", one_die.policy, data=data) as server:
        yield server
        outcome = server.send(signal.SIGINT)
        assert outcome.err.strip() == "zhaifei: interrupted"  # nothing else was ever said
