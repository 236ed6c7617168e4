"""OpenSpiel's own tests of the game, as a plain script: of ours it imports only what registers it.

    python -m tests.game.openspiel.upstream
    python -m tests.game.openspiel.upstream --in-one-file
    python -m tests.game.openspiel.upstream --checkout DIR

The generic tests are those that come with OpenSpiel's package: simulations of every kind with
pickling, and the playthrough. With `--in-one-file` the game is `docs/openspiel/zhaifei.py`, loaded
as if it stood among OpenSpiel's games, and its own test runs too. `--checkout` names a clone of
OpenSpiel, whose API test then runs as well; the package does not have it. `--write` writes the
playthrough of the game in one file anew.
"""

import argparse
import importlib
import importlib.util
import sys
import tempfile
import unittest
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pyspiel
from absl import flags
from open_spiel.python import games
from open_spiel.python.algorithms import generate_playthrough
from open_spiel.python.tests.games_sim_test import GamesSimTest

FILES = Path(__file__).parents[3] / "docs" / "openspiel"
PLAYTHROUGH = FILES / "python_zhaifei.txt"
GAMES = [
    {},
    {"dice": 1, "faces": 3},
    {"dice": 2, "faces": 3, "players": 2},
    *({"players": players} for players in (3, 4, 5, 6)),
]
"""Parameters of the games that are simulated."""
SMALL = [{"dice": 1, "faces": 2}, {"players": 3, "dice": 1, "faces": 2}]
"""Parameters of the games whose whole trees the API test walks."""


def load_file(name: str) -> ModuleType:
    """Return a file of FILES, loaded as a module of OpenSpiel's games."""
    spec = importlib.util.spec_from_file_location(
        f"open_spiel.python.games.{name}", FILES / f"{name}.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    setattr(games, name, module)
    return module


class Simulations(GamesSimTest):
    """OpenSpiel's simulations, of this game only."""

    def runTest(self) -> None:
        for params in GAMES:
            game = pyspiel.load_game("python_zhaifei", params)
            pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)
            self.sim_game(game)


class Replays(unittest.TestCase):
    """A playthrough that OpenSpiel has written is replayed line by line."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._file = file

    def runTest(self) -> None:
        expected, actual = generate_playthrough.replay(str(self._file))
        assert expected == actual


class ReplaysAnew(unittest.TestCase):
    """Playthroughs of random games, written now and replayed."""

    def runTest(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            file = Path(scratch) / "python_zhaifei.txt"
            for seed in range(3):
                file.write_text(written(seed), encoding="utf-8")
                expected, actual = generate_playthrough.replay(str(file))
                assert expected == actual


def written(seed: int) -> str:
    """Return a playthrough of a random game, as OpenSpiel writes it."""
    text: str = generate_playthrough.playthrough("python_zhaifei", None, seed=seed)
    return text


class _Any:
    """Equals every number of states: OpenSpiel's test has those of its own games."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


def api_tests(checkout: Path) -> unittest.TestSuite:
    """Return OpenSpiel's API test of the game: some states of the whole game, and all of SMALL."""
    # Its imports of OpenSpiel are those of the package: the checkout is not compiled.
    sys.path.insert(0, str(checkout / "open_spiel" / "integration_tests"))
    test = importlib.import_module("api_test")
    small = [str(pyspiel.load_game("python_zhaifei", params)) for params in SMALL]
    test._GAMES_FULL_TREE_TRAVERSAL_TESTS[:] = [*zip("ab", small, strict=True)]
    test._GAMES_TO_TEST = {"python_zhaifei"}
    test.TOTAL_NUM_STATES = test.PERFECT_RECALL_NUM_STATES = defaultdict(_Any)
    suite: unittest.TestSuite = test.load_tests(unittest.defaultTestLoader, [], None)
    return suite


def suites(checkout: Path | None, *, in_one_file: bool) -> Iterator[unittest.TestSuite]:
    """Yield all tests of the registered game."""
    yield unittest.TestSuite([Simulations(), ReplaysAnew()])
    if in_one_file:
        yield unittest.TestSuite([Replays(PLAYTHROUGH)])
        yield unittest.defaultTestLoader.loadTestsFromModule(load_file("zhaifei_test"))
    if checkout is not None:
        yield api_tests(checkout)


def main() -> None:
    """Run the tests."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--in-one-file", action="store_true")
    parser.add_argument("--checkout", type=Path)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    if arguments.in_one_file or arguments.write:
        load_file("zhaifei")
    else:
        importlib.import_module("zhaifei.game.openspiel")
    if arguments.write:
        PLAYTHROUGH.write_text(written(2024), encoding="utf-8")
        return
    flags.FLAGS(["upstream"])  # OpenSpiel's playthroughs and tests read flags.
    every = unittest.TestSuite(suites(arguments.checkout, in_one_file=arguments.in_one_file))
    if not unittest.TextTestRunner(buffer=True).run(every).wasSuccessful():
        raise SystemExit(1)


if __name__ == "__main__":
    main()
