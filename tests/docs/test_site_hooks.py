from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

HOOKS = Path(__file__).parents[2] / "tools" / "site_hooks.py"


@pytest.fixture(scope="module")
def hooks() -> ModuleType:
    spec = spec_from_file_location("site_hooks", HOOKS)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["site_hooks"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("written", "on_the_site"),
    [
        ("[it](../examples/workflows/check.yml)", "it (`examples/workflows/check.yml` in the repository)"),
        ("[it](../README.md)", "it (`README.md` in the repository)"),
        ("[all](../decisions/README.md)", "[all](../decisions/README.md)"),
        ("[a](../examples/a.toml), [b](x.md)", "a (`examples/a.toml` in the repository), [b](x.md)"),
        ("[page](../limits.md#not)", "[page](../limits.md#not)"),
        ("[schema](../schema/report-v1.schema.json)", "[schema](../schema/report-v1.schema.json)"),
        ("![picture](../images/summary.png)", "![picture](../images/summary.png)"),
        ("[out](https://example.com/../x)", "[out](https://example.com/../x)"),
    ],
)
def test_only_what_lies_outside_the_site_is_named(hooks: ModuleType, written: str, on_the_site: str) -> None:
    assert hooks.on_page_markdown(written, page=None) == on_the_site
