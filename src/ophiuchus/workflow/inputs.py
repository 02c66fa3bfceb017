"""The action's inputs: one frozen `Settings` from INPUT_*, with everything that is wrong told at once.

The runner gives each declared input as `INPUT_NAME` (upper case, hyphens kept, so our names have none: case
C098), text always, empty when it was not given. Text is trimmed; empty means the declared default. No value
is repeated unless it was made harmless, and never the token.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations
from pathlib import Path
from typing import TypeVar

from ophiuchus.capsule.shelf import DEFAULT_PATTERN
from ophiuchus.github.comment import CommentMode
from ophiuchus.report.gate import parse_fail_on
from ophiuchus.report.model import GateRule, Scope
from ophiuchus.report.shard import WHOLE, Shard, parse_shard
from ophiuchus.text.problem import ExpectedFailure
from ophiuchus.text.terminal import harmless_line
from ophiuchus.workflow.input_text import (
    UnusableText,
    boolean,
    choice_of,
    file_in,
    folder_in,
    names,
    new_file,
    one_line,
    one_line_of,
    pattern,
    switch,
)
from ophiuchus.workflow.masks import MASK_FLOOR

DEFAULTS: Mapping[str, str] = {
    "mode": "check",
    "path": ".",
    "capsules": DEFAULT_PATTERN,
    "base": "",
    "scope": "live",
    "fail_on": "",
    "comment": "auto",
    "comment_key": "",
    "annotations": "true",
    "github_token": "",
    "fetch_missing": "true",
    "ca_bundle": "",
    "report_path": "",
    "html": "",
    "sarif": "",
    "critic_review": "",
    "sovereign_memory": "",
    "shard": "",
    "reports": "",
    "notify_owners": "false",
    "issue_title": "Hand-offs that need action",
    "digest_to": "",
    "capsule": "",
    "destinations": "",
    "approve": "none",
    "publish_when": "",
    "receipts": "branch",
}
"""Every input with its default, in the order of action.yml, whose `github_token` is the job's own."""

_OF_ALL_CONTAINER_ACTIONS = frozenset({"entrypoint", "args"})
_CHECK_OUT = "check out with actions/checkout first, same `path`"
_DOWNLOAD = "get the reports with actions/download-artifact first, same `path`"
_SHOWN_CHARACTERS = 80
_KEY_CHARACTERS = 200
_TITLE_CHARACTERS = 200
_REVISION_CHARACTERS = 250

Value = TypeVar("Value")


class Mode(StrEnum):
    """What the action is to do."""

    CHECK = "check"
    SWEEP = "sweep"
    PREVIEW = "preview"
    PUBLISH = "publish"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the workflow asked for. Paths are relative to `workspace`, `ca_bundle` apart; empty: not given.

    `approve`, `publish_when` and `receipts` are read further by who publishes.
    """

    workspace: str
    mode: Mode
    path: str
    capsules: str
    base: str
    scope: Scope
    fail_on: tuple[GateRule, ...]
    comment: CommentMode
    comment_key: str
    annotations: bool
    github_token: str = field(repr=False)
    fetch_missing: bool
    ca_bundle: str
    report_path: str
    html: str
    sarif: str
    critic_review: bool | None
    sovereign_memory: bool | None
    shard: Shard
    reports: str
    notify_owners: bool
    issue_title: str
    digest_to: tuple[str, ...]
    capsule: str
    destinations: tuple[str, ...]
    approve: str
    publish_when: str
    receipts: str

    @property
    def switches(self) -> Mapping[str, str]:
        """What the inputs say of the ledgers' switches, by the settings' names."""
        said = {"cross_model_review": self.critic_review, "sovereign_memory": self.sovereign_memory}
        return {name: str(int(on)) for name, on in said.items() if on is not None}


class InvalidInputs(ExpectedFailure):
    """At least one input cannot be used; `faults` says of each which and why."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        count = "an input" if len(faults) == 1 else f"{len(faults)} inputs"
        super().__init__(f"{count} cannot be used:\n" + "\n".join(f"- {fault}" for fault in faults))
        self.faults = faults


def read_settings(env: Mapping[str, str]) -> Settings:
    """The settings in `env`. Looks at the workspace to check paths. Raises InvalidInputs."""
    reader = _Reader(env)
    workspace = reader.workspace()
    settings = Settings(
        workspace=workspace,
        mode=reader.read("mode", choice_of(Mode), Mode.CHECK),
        path=reader.read("path", folder_in(workspace, _CHECK_OUT), "."),
        capsules=reader.read("capsules", pattern, ""),
        base=reader.read("base", one_line_of(_REVISION_CHARACTERS), ""),
        scope=reader.read("scope", choice_of(Scope), Scope.LIVE),
        fail_on=reader.read("fail_on", parse_fail_on, ()),
        comment=reader.read("comment", choice_of(CommentMode), CommentMode.AUTO),
        comment_key=reader.read("comment_key", one_line_of(_KEY_CHARACTERS), ""),
        annotations=reader.read("annotations", boolean, True),
        github_token=reader.text("github_token"),
        fetch_missing=reader.read("fetch_missing", boolean, True),
        ca_bundle=reader.read("ca_bundle", file_in(workspace), ""),
        report_path=reader.read("report_path", new_file, ""),
        html=reader.read("html", new_file, ""),
        sarif=reader.read("sarif", new_file, ""),
        critic_review=reader.read("critic_review", switch, None),
        sovereign_memory=reader.read("sovereign_memory", switch, None),
        shard=reader.read("shard", lambda text: parse_shard(text) if text else WHOLE, WHOLE),
        reports=reader.read("reports", folder_in(workspace, _DOWNLOAD), ""),
        notify_owners=reader.read("notify_owners", boolean, False),
        issue_title=reader.read("issue_title", one_line_of(_TITLE_CHARACTERS), ""),
        digest_to=reader.read("digest_to", names, ()),
        capsule=reader.read("capsule", one_line, ""),
        destinations=reader.read("destinations", names, ()),
        approve=reader.as_given("approve"),
        publish_when=reader.read("publish_when", one_line, ""),
        receipts=reader.read("receipts", one_line, ""),
    )
    if settings.mode in (Mode.PREVIEW, Mode.PUBLISH):
        reader.require(mode=settings.mode, capsule=settings.capsule, destinations=settings.destinations)
    reader.faults += _contradictions(settings)
    if reader.faults:
        raise InvalidInputs(tuple(reader.faults))
    return settings


def _contradictions(settings: Settings) -> Iterator[str]:
    """A sentence for each two inputs that cannot both be meant."""
    files = {"report_path": settings.report_path, "html": settings.html, "sarif": settings.sarif}
    for (one, place), (other, same) in combinations(files.items(), 2):
        if place and place == same:
            yield f"{other}: names the same file as {one}"
    is_cut = settings.shard != WHOLE
    of_a_sweep = {"shard": is_cut, "reports": settings.reports, "digest_to": settings.digest_to}
    if settings.mode is not Mode.SWEEP:
        yield from (f"{name}: is for mode sweep only" for name, given in of_a_sweep.items() if given)
    if settings.mode not in (Mode.PREVIEW, Mode.PUBLISH):
        of_one_capsule = {
            "capsule": settings.capsule,
            "destinations": settings.destinations,
            "publish_when": settings.publish_when,
        }
        yield from (
            f"{name}: is for modes preview and publish only"
            for name, given in of_one_capsule.items()
            if given
        )
    if settings.reports and is_cut:
        yield "reports: a job that joins the reports of shards is no shard itself; leave out shard"
    if settings.digest_to and is_cut:
        yield "digest_to: a digest tells of all capsules; leave it to the job that joins the reports"


def given_mode(env: Mapping[str, str]) -> Mode:
    """The mode, before anything else is read; what is no mode is `check` until it is refused."""
    text = env.get("INPUT_MODE", "").strip()
    return Mode(text) if text in list(Mode) else Mode.CHECK


def misspelt_inputs(env: Mapping[str, str]) -> tuple[str, ...]:
    """A sentence for each given input that is not ours but nearly spelled like one of ours.

    The runner only warns of them: a gate that is written `fail-on` would never close.
    """
    sentences = []
    for variable in env:
        name = variable.removeprefix("INPUT_").lower()
        if name == variable.lower() or name in DEFAULTS or name in _OF_ALL_CONTAINER_ACTIONS:
            continue
        from difflib import get_close_matches  # noqa: PLC0415 - only after a mistake: it is slow to import

        near = get_close_matches(name.replace("-", "_"), DEFAULTS, n=1, cutoff=0.75)
        if near:
            sentence = f"the input {_shown(name)} is not known and was not used; is {near[0]} meant?"
            sentences.append(harmless_line(sentence))
    return tuple(sentences)


class _Reader:
    """Reads one input after the other and collects what is wrong."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env
        self.faults: list[str] = []

    def text(self, name: str) -> str:
        return self._env.get(f"INPUT_{name.upper()}", "").strip() or DEFAULTS[name]

    def as_given(self, name: str) -> str:
        """The text with blank told apart from absent: a forgotten value must not pass for the default."""
        return self._env.get(f"INPUT_{name.upper()}", DEFAULTS[name]).strip()

    def require(self, mode: Mode, **values: object) -> None:
        """Note a fault for each of `values`, by the input's name, that is empty."""
        self.faults += [
            f"{name}: is empty, and mode {mode} needs it" for name, value in values.items() if not value
        ]

    def read(self, name: str, convert: Callable[[str], Value], instead: Value) -> Value:
        text = self.text(name)
        try:
            return convert(text)
        except UnusableText as wrong:
            self._fault(name, f"{_shown(text)} {wrong}")
        except ExpectedFailure as failure:
            self._fault(name, f"{failure.message}; {failure.remedy}")
        return instead

    def workspace(self) -> str:
        """The folder of the checkout, as the runner names it: inside the container, not on the host."""
        workspace = self._env.get("GITHUB_WORKSPACE", "")
        if Path(workspace).is_absolute():
            return workspace
        self.faults.append("GITHUB_WORKSPACE is not set to a folder: this command runs in a workflow")
        return "/"

    def _fault(self, name: str, words: str) -> None:
        token = self.text("github_token")
        if len(token) >= MASK_FLOOR:
            words = words.replace(token, "***")
        self.faults.append(harmless_line(f"{name}: {words}"))


def _shown(text: str) -> str:
    short = text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…"
    return f"'{short}'"
