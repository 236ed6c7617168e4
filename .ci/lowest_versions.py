"""Print the lowest versions that pyproject.toml allows, as constraints for pip: of what the package
needs, and of the extras that are named.

    python .ci/lowest_versions.py test report >lowest.txt
    pip install --constraint lowest.txt ".[test,report]"
"""

import re
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
REQUIREMENT = re.compile(
    r"(?P<name>[\w.-]+)(\[[\w,]+\])?(>=|==)(?P<version>[\w.]+)(,<[\w.]+)?( *; *(?P<marker>.+))?"
)


def constraint(requirement: str) -> str:
    """Return the requirement with its lower bound, or exact version, as the only version. Raise
    ValueError if it has neither."""
    found = REQUIREMENT.fullmatch(requirement)
    if found is None:
        raise ValueError(f"{requirement!r} has no lower bound")
    marker = f" ; {found['marker']}" if found["marker"] else ""
    return f"{found['name']}=={found['version']}{marker}"


def constraints(extras: Iterable[str]) -> list[str]:
    """Return the constraints of the package and of these extras."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    required = [*project["dependencies"]]
    for extra in extras:
        required += project["optional-dependencies"][extra]
    return [*map(constraint, required)]


if __name__ == "__main__":
    print("\n".join(constraints(sys.argv[1:])))
