from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

PROJECT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def reference() -> ModuleType:
    """The tool that writes the reference pages; it is no part of the package."""
    spec = spec_from_file_location("reference_pages", PROJECT / "tools" / "reference_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["reference_pages"] = module
    spec.loader.exec_module(module)
    return module
