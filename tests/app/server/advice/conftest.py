"""A server of advice, shared by the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from tests.app.server.advice.desk import AtOnce, app_with


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(app_with(AtOnce())) as found:
        yield found
