"""The benchmark is no part of the product: not of the wheel, the image, or the command line."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from continuation_benchmark.metrics import Metric
from continuation_benchmark.report import DISCLAIMER

from ophiuchus.assess.fidelity import FIDELITY_LIMIT
from ophiuchus.cli import VERBS

PROJECT = Path(__file__).parents[2]
NAME = "continuation_benchmark"


def test_the_wheel_holds_the_package_alone() -> None:
    built = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"][
        "targets"
    ]
    assert built["wheel"] == {"packages": ["src/ophiuchus"]}


def test_the_image_is_built_without_it() -> None:
    taken = re.findall(r"^!(.+)$", (PROJECT / ".dockerignore").read_text("utf-8"), re.MULTILINE)
    assert (PROJECT / ".dockerignore").read_text("utf-8").splitlines()[1] == "*"
    assert not any(NAME.startswith(name.rstrip("/")) for name in taken)


def test_nothing_of_the_product_knows_it() -> None:
    assert not any("bench" in verb for verb in VERBS)
    for file in (PROJECT / "src").rglob("*.py"):
        assert NAME not in file.read_text("utf-8")


def test_its_page_says_what_its_numbers_are_not() -> None:
    page = (PROJECT / "docs" / "continuation-benchmark.md").read_text("utf-8")
    words = " ".join(re.sub(r"^> ", "", page, flags=re.MULTILINE).split())
    assert DISCLAIMER in words
    assert FIDELITY_LIMIT in words
    for metric in Metric:
        assert f"| `{metric}` |" in page
