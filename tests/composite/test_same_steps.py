"""The container action's own tests of a step, run on the twin: what the one does, the other does."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from twin_step import TwinStep

COMMANDS = Path(__file__).parents[1] / "commands"

SUITES = {
    "test_action.py": (
        "test_each_event_is_judged_and_told_and_only_a_pull_request_is_commented",
        "test_an_annotation_stands_on_the_line_of_its_condition",
        "test_the_gate_decides_the_status_and_every_surface_is_told",
        "test_a_file_that_cannot_be_read_is_an_error_on_its_line_and_status_2",
        "test_the_checkout_may_lie_deeper_and_paths_stay_those_of_the_repository",
        "test_a_second_run_keeps_the_one_comment",
        "test_a_refused_comment_is_one_notice_and_never_the_status",
        "test_the_token_is_masked_before_anything_else_and_shown_nowhere",
        "test_what_a_capsule_says_is_no_command_and_no_output",
        "test_files_that_were_asked_for_are_all_that_is_written",
        "test_all_wrong_inputs_are_told_at_once_before_anything_is_asked",
        "test_a_missing_checkout_is_told_with_what_to_add",
        "test_a_cancelled_step_ends_at_once_and_leaves_nothing",
    ),
    "test_publish_step.py": (
        "test_a_preview_sends_nothing_and_gives_the_digest",
        "test_what_was_approved_is_published_once_however_often_it_is_run",
        "test_an_approval_that_is_none_is_no_approval",
    ),
}
"""Left out is what starts processes of its own making, and inputs that the runner would not hand on."""


def _loaded(name: str) -> ModuleType:
    spec = spec_from_file_location(f"{name.removesuffix('.py')}_of_the_twin", COMMANDS / name)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _with_the_twin(name: str, tests: tuple[str, ...]) -> dict[str, Any]:
    """The suite's fixtures and the named tests, with the twin in the step's place."""
    module = _loaded(name)
    assert hasattr(module, "LocalStep")
    module.LocalStep = TwinStep  # type: ignore[attr-defined]
    fixtures = {
        found: value
        for found, value in vars(module).items()
        if isinstance(value, pytest.FixtureDef) or type(value).__name__ == "FixtureFunctionDefinition"
    }
    return {**fixtures, **{test: getattr(module, test) for test in tests}}


for _name, _tests in SUITES.items():
    globals().update(_with_the_twin(_name, _tests))
