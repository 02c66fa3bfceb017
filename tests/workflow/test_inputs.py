from __future__ import annotations

import secrets
import subprocess
import sys
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from runner_model import commands_in

from ophiuchus.github.comment import CommentMode
from ophiuchus.report.model import GateRule, Scope
from ophiuchus.report.shard import WHOLE, Shard
from ophiuchus.workflow.inputs import (
    DEFAULTS,
    InvalidInputs,
    Mode,
    Settings,
    misspelt_inputs,
    read_settings,
)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    path = tmp_path / "workspace"
    (path / "sub" / "deep").mkdir(parents=True)
    return path


def read(workspace: Path, **inputs: str) -> Settings:
    """Settings from inputs as the runner gives them: every declared one, the ungiven ones empty."""
    env = {f"INPUT_{name.upper()}": "" for name in DEFAULTS}
    env |= {f"INPUT_{name.upper()}": value for name, value in inputs.items()}
    return read_settings({**env, "GITHUB_WORKSPACE": str(workspace)})


def faults(workspace: Path, **inputs: str) -> tuple[str, ...]:
    with pytest.raises(InvalidInputs) as caught:
        read(workspace, **inputs)
    return caught.value.faults


def test_nothing_given_means_the_defaults(workspace: Path) -> None:
    expected = Settings(
        workspace=str(workspace),
        mode=Mode.CHECK,
        path=".",
        capsules=".ophiuchus/**/*.json",
        base="",
        scope=Scope.LIVE,
        fail_on=(),
        comment=CommentMode.AUTO,
        comment_key="",
        annotations=True,
        github_token="",
        fetch_missing=True,
        ca_bundle="",
        report_path="",
        html="",
        sarif="",
        critic_review=None,
        sovereign_memory=None,
        shard=WHOLE,
        reports="",
        notify_owners=False,
        issue_title="Hand-offs that need action",
        digest_to=(),
        capsule="",
        destinations=(),
        approve="none",
        publish_when="",
        receipts="branch",
    )
    # Of this one a blank value is not taken for the default: what is approved must be said.
    assert read(workspace) == replace(expected, approve="")
    assert read_settings({"GITHUB_WORKSPACE": str(workspace)}) == expected
    given_defaults = {f"INPUT_{name.upper()}": value for name, value in DEFAULTS.items()}
    assert read_settings({"GITHUB_WORKSPACE": str(workspace), **given_defaults}) == expected


def test_all_that_was_given_is_read_and_trimmed(workspace: Path) -> None:
    token = secrets.token_hex(20)
    (workspace / "sub" / "ca.pem").touch()
    found = read(
        workspace,
        mode=" sweep ",
        path="./sub//deep/",
        capsules="hand-offs/*.json",
        base=" origin/main ",
        scope="all",
        fail_on=" stale , expired,,stale\n",
        comment="never\n",
        comment_key="leg 1 / linux",
        annotations="FALSE",
        github_token=f" {token}\n",
        fetch_missing="0",
        ca_bundle=" sub//ca.pem",
        report_path="out/report.json",
        html="out/page.html",
        sarif="out/found.sarif",
        critic_review="1",
        sovereign_memory="False",
        shard=" 2/4 ",
        notify_owners="1",
        issue_title="Stale hand-offs ",
        approve=f" {'a1' * 32}\n",
        receipts=" file:/var/lib/receipts.jsonl",
    )
    assert found == Settings(
        workspace=str(workspace),
        mode=Mode.SWEEP,
        path="sub/deep",
        capsules="hand-offs/*.json",
        base="origin/main",
        scope=Scope.ALL,
        fail_on=(GateRule.STALE, GateRule.EXPIRED),
        comment=CommentMode.NEVER,
        comment_key="leg 1 / linux",
        annotations=False,
        github_token=token,
        fetch_missing=False,
        ca_bundle=str(workspace / "sub" / "ca.pem"),
        report_path="out/report.json",
        html="out/page.html",
        sarif="out/found.sarif",
        critic_review=True,
        sovereign_memory=False,
        shard=Shard(2, 4),
        reports="",
        notify_owners=True,
        issue_title="Stale hand-offs",
        digest_to=(),
        capsule="",
        destinations=(),
        approve="a1" * 32,
        publish_when="",
        receipts="file:/var/lib/receipts.jsonl",
    )
    assert token not in repr(found)
    with pytest.raises(FrozenInstanceError):
        found.path = "x"  # type: ignore[misc]  # that it is refused is what is tested


def test_what_is_to_be_published_is_read_and_trimmed(workspace: Path) -> None:
    found = read(
        workspace,
        mode="publish",
        capsule=" checkout-rewrite\n",
        destinations="tracker, channel\n  board,,tracker",
        publish_when="any ",
    )
    assert (found.capsule, found.publish_when) == ("checkout-rewrite", "any")
    assert found.destinations == ("tracker", "channel", "board")


@pytest.mark.parametrize("mode", ["preview", "publish"])
def test_publishing_needs_a_capsule_and_a_destination(workspace: Path, mode: str) -> None:
    assert faults(workspace, mode=mode) == (
        f"capsule: is empty, and mode {mode} needs it",
        f"destinations: is empty, and mode {mode} needs it",
    )
    assert read(workspace, mode=mode, capsule="a", destinations="b").mode == mode


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True), ("True", True), (" TRUE ", True), ("true\n", True), ("1", True), ("", True),
        ("false", False), ("FALSE", False), (" false ", False), ("0", False),
    ],
)  # fmt: skip
def test_a_boolean_is_true_or_false_in_any_case(workspace: Path, text: str, value: bool) -> None:
    """C044"""
    assert read(workspace, annotations=text).annotations is value


@pytest.mark.parametrize(
    "text", ["no", "yes", "on", "off", "2", "t", "tru\u0435", "true false", "None", "01"]
)
def test_any_other_boolean_is_an_input_error(workspace: Path, text: str) -> None:
    """C044: the fifth one has a Cyrillic letter."""
    (fault,) = faults(workspace, annotations=text)
    assert fault.startswith(f"annotations: '{text}' is neither true (1) nor false (0)")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("mode", "send", "is not one of: check, sweep, preview, publish"),
        ("mode", "Check", "is not one of: check"),
        ("destinations", "a\0b", "cannot be printed"),
        ("scope", "live,all", "is not one of: live, all"),
        ("comment", "true", "is not one of: auto, always, never"),
        ("fail_on", "stale, steal", "stale"),
        ("fail_on", "partially-stale", "partially_stale"),
        ("path", "/github/workspace", "is absolute"),
        ("path", "../other", "has a '..'"),
        ("path", "sub/../..", "has a '..'"),
        ("path", "absent", "is no folder of the workspace"),
        ("path", "sub/" + "x" * 300, "is no folder of the workspace"),
        ("path", ".git", "git's own folder"),
        ("path", "a\0b", "cannot be printed"),
        ("capsules", "a\nb", "cannot be printed"),
        ("capsules", "/abs/*.json", "'/abs/*.json' is an absolute path"),
        ("capsules", ":(top)x", "':(top)x' "),
        ("base", "b" * 251, "is longer than 250 characters"),
        ("base", "main\n::error::x", "cannot be printed"),
        ("comment_key", "k" * 201, "is longer than 200 characters"),
        ("comment_key", "a\x1bb", "cannot be printed"),
        ("report_path", "/tmp/x.json", "is absolute"),
        ("report_path", "../x.json", "has a '..'"),
        ("report_path", ".git/x.json", "git's own folder"),
        ("report_path", "sub/.GIT/x", "git's own folder"),
        ("report_path", "out/", "names a folder"),
        ("report_path", "a/" * 500 + "b", "is longer than 1,000 characters"),
        ("report_path", ".", "names a folder"),
        ("report_path", "a\u202eb", "cannot be printed"),
        ("html", "a\tb", "cannot be printed"),
        ("sarif", "../x.sarif", "has a '..'"),
        ("shard", "5/4", "names no shard"),
        ("shard", "half", "write I/N"),
        ("reports", "absent", "actions/download-artifact"),
        ("reports", "/tmp", "is absolute"),
        ("notify_owners", "@me", "neither true (1) nor false (0)"),
        ("critic_review", "on", "neither true (1) nor false (0)"),
        ("issue_title", "t" * 201, "is longer than 200 characters"),
        ("issue_title", "a\nb", "cannot be printed"),
    ],
)
def test_a_value_that_cannot_be_used_is_named_with_its_input(
    workspace: Path, name: str, value: str, words: str
) -> None:
    (fault,) = faults(workspace, **{name: value})
    assert fault.startswith(f"{name}: ")
    assert words in fault


def test_every_fault_is_told_at_once(workspace: Path) -> None:
    found = faults(
        workspace, mode="x", scope="y", comment="z", annotations="w", path="/", fail_on="v", html="../u"
    )
    assert [fault.partition(":")[0] for fault in found] == [
        "mode", "path", "scope", "fail_on", "comment", "annotations", "html",
    ]  # fmt: skip
    with pytest.raises(InvalidInputs, match="7 inputs cannot be used:\n- mode: ") as caught:
        read(workspace, mode="x", scope="y", comment="z", annotations="w", path="/", fail_on="v", html="../u")
    assert caught.value.message.count("\n- ") == 7


def test_two_files_of_one_name_are_refused(workspace: Path) -> None:
    assert faults(workspace, report_path="out/a", html="./out//a") == (
        "html: names the same file as report_path",
    )
    assert faults(workspace, report_path="a", html="b", sarif="./b") == (
        "sarif: names the same file as html",
    )


@pytest.mark.parametrize(
    ("given_inputs", "switches"),
    [
        ({}, {}),
        ({"critic_review": "1"}, {"cross_model_review": "1"}),
        (
            {"critic_review": "0", "sovereign_memory": "true"},
            {"cross_model_review": "0", "sovereign_memory": "1"},
        ),
    ],
)
def test_a_ledger_is_switched_by_the_inputs_only_where_they_say_so(
    workspace: Path, given_inputs: dict[str, str], switches: dict[str, str]
) -> None:
    assert read(workspace, **given_inputs).switches == switches


def test_shards_and_their_reports_are_of_a_sweep_and_never_of_one_job(workspace: Path) -> None:
    assert faults(workspace, mode="check", shard="1/2") == ("shard: is for mode sweep only",)
    assert faults(workspace, reports="sub", digest_to="channel") == (
        "reports: is for mode sweep only",
        "digest_to: is for mode sweep only",
    )
    (fault,) = faults(workspace, mode="sweep", shard="1/2", reports="sub")
    assert fault.startswith("reports: a job that joins")
    assert read(workspace, mode="sweep", shard="1/1", reports="./sub/").reports == "sub"


@pytest.mark.parametrize("mode", ["check", "sweep"])
def test_what_is_to_be_published_is_refused_where_nothing_is(workspace: Path, mode: str) -> None:
    given = {"capsule": "a", "destinations": "b", "publish_when": "any"}
    assert faults(workspace, mode=mode, **given) == tuple(
        f"{name}: is for modes preview and publish only" for name in given
    )


def test_a_path_through_a_link_stays_in_the_workspace_or_is_refused(workspace: Path) -> None:
    (workspace / "inside").symlink_to("sub")
    (workspace / "outside").symlink_to("/")
    assert read(workspace, path="inside/deep").path == "inside/deep"
    (fault,) = faults(workspace, path="outside/tmp")
    assert "leads out of the workspace" in fault


@pytest.mark.parametrize("value", ["", "relative/folder"])
def test_without_a_workspace_there_is_nothing_to_check(value: str) -> None:
    with pytest.raises(InvalidInputs, match="GITHUB_WORKSPACE is not set"):
        read_settings({"GITHUB_WORKSPACE": value})


def test_a_token_in_the_wrong_place_is_not_repeated(workspace: Path) -> None:
    token = secrets.token_hex(20)
    found = faults(workspace, github_token=token, mode=token, fail_on=f"stale,{token}", comment=f"a{token}")
    assert len(found) == 3
    assert all(token not in fault and "***" in fault for fault in found)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from(sorted(DEFAULTS)), st.text(max_size=30)))
def test_any_text_is_settings_or_faults_that_are_harmless(workspace: Path, inputs: dict[str, str]) -> None:
    invalid: tuple[str, ...] = ()
    try:
        found = read(workspace, **inputs)
    except InvalidInputs as error:
        invalid = error.faults
    else:
        assert found.path == "." or (workspace / found.path).is_dir()
    for fault in invalid:
        assert fault.partition(":")[0] in DEFAULTS
        assert commands_in(fault) == []
        assert "##[" not in fault
        assert fault.count("\n") == 0


def test_an_input_that_is_nearly_ours_is_named(workspace: Path) -> None:
    """C098: a hyphen would make a gate that never closes."""
    env = {
        "INPUT_FAIL-ON": "stale",
        "INPUT_GITHUB-TOKEN": "x",
        "INPUT_ANNOTATION": "false",
        "INPUT_FAIL_ON": "",
        "INPUT_ENTRYPOINT": "",
        "INPUT_ARGS": "",
        "INPUT_SOMETHING_ELSE": "x",
        "PATH": "x",
        "FAIL-ON": "x",
    }
    assert misspelt_inputs(env) == (
        "the input 'fail-on' is not known and was not used; is fail_on meant?",
        "the input 'github-token' is not known and was not used; is github_token meant?",
        "the input 'annotation' is not known and was not used; is annotations meant?",
    )
    assert read_settings({**env, "GITHUB_WORKSPACE": str(workspace)}).fail_on == ()


def test_an_input_s_name_has_no_hyphen() -> None:
    """C098"""
    assert all(name.replace("_", "").isalpha() and name == name.lower() for name in DEFAULTS)


def test_inputs_reach_this_program_through_a_process_by_their_exact_names(workspace: Path) -> None:
    """C098: real variables, with the hyphened one beside ours."""
    script = (
        "import os\nfrom ophiuchus.workflow.inputs import read_settings\n"
        "print(','.join(read_settings(os.environ).fail_on))"
    )
    source = str(Path(__file__).parents[2] / "src")
    env = {
        "INPUT_FAIL-ON": "expired",
        "INPUT_FAIL_ON": "stale",
        "GITHUB_WORKSPACE": str(workspace),
        "PYTHONPATH": source,
    }
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "stale"
