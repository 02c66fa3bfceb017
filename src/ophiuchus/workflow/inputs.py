"""The action's inputs: one frozen `Settings` from INPUT_*, with everything that is wrong told at once.

The runner gives each declared input as `INPUT_NAME` (upper case, hyphens kept, so our names have none: case
C098), text always, empty when it was not given. Text is trimmed; empty means the declared default. No value
is repeated unless it was made harmless, and never the token.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations
from pathlib import Path, PurePosixPath
from typing import TypeVar

from ophiuchus.capsule.shelf import DEFAULT_PATTERN
from ophiuchus.git.globs import RefusedGlob, compile_glob
from ophiuchus.github.comment import CommentMode
from ophiuchus.report.gate import parse_fail_on
from ophiuchus.report.model import GateRule, Scope
from ophiuchus.report.shard import WHOLE, Shard, parse_shard
from ophiuchus.text.problem import ExpectedFailure
from ophiuchus.text.terminal import harmless_line
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
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
_CHECK_OUT = "check out with actions/checkout first, same `path`"
_DOWNLOAD = "get the reports with actions/download-artifact first, same `path`"
_SHOWN_CHARACTERS = 80
_KEY_CHARACTERS = 200
_TITLE_CHARACTERS = 200
_PATH_CHARACTERS = 1_000
_REVISION_CHARACTERS = 250

Value = TypeVar("Value")
Choice = TypeVar("Choice", bound=StrEnum)


class Mode(StrEnum):
    """What the action is to do."""

    CHECK = "check"
    SWEEP = "sweep"
    PREVIEW = "preview"
    PUBLISH = "publish"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the workflow asked for. Paths are relative to `workspace`, empty where nothing was asked for.

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


class _Wrong(Exception):
    """Why one input's text cannot be used; the text is shown beside it."""


def read_settings(env: Mapping[str, str]) -> Settings:
    """The settings in `env`. Looks at the workspace to check paths. Raises InvalidInputs."""
    reader = _Reader(env)
    workspace = reader.workspace()
    settings = Settings(
        workspace=workspace,
        mode=reader.read("mode", _choice(Mode), Mode.CHECK),
        path=reader.read("path", lambda text: _folder_place(workspace, text, _CHECK_OUT), "."),
        capsules=reader.read("capsules", _pattern, ""),
        base=reader.read("base", _revision, ""),
        scope=reader.read("scope", _choice(Scope), Scope.LIVE),
        fail_on=reader.read("fail_on", parse_fail_on, ()),
        comment=reader.read("comment", _choice(CommentMode), CommentMode.AUTO),
        comment_key=reader.read("comment_key", _key, ""),
        annotations=reader.read("annotations", _boolean, True),
        github_token=reader.text("github_token"),
        fetch_missing=reader.read("fetch_missing", _boolean, True),
        ca_bundle=reader.read("ca_bundle", lambda text: _given_file(workspace, text) if text else "", ""),
        report_path=reader.read("report_path", _file_place, ""),
        html=reader.read("html", _file_place, ""),
        sarif=reader.read("sarif", _file_place, ""),
        critic_review=reader.read("critic_review", _switch, None),
        sovereign_memory=reader.read("sovereign_memory", _switch, None),
        shard=reader.read("shard", lambda text: parse_shard(text) if text else WHOLE, WHOLE),
        reports=reader.read(
            "reports", lambda text: _folder_place(workspace, text, _DOWNLOAD) if text else "", ""
        ),
        notify_owners=reader.read("notify_owners", _boolean, False),
        issue_title=reader.read("issue_title", _title, ""),
        digest_to=reader.read("digest_to", _names, ()),
        capsule=reader.read("capsule", _one_line, ""),
        destinations=reader.read("destinations", _names, ()),
        approve=reader.as_given("approve"),
        publish_when=reader.read("publish_when", _one_line, ""),
        receipts=reader.read("receipts", _one_line, ""),
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
    if settings.reports and is_cut:
        yield "reports: a job that joins the reports of shards is no shard itself; leave out shard"
    if settings.mode is not Mode.SWEEP and (settings.reports or is_cut):
        yield f"{'shard' if is_cut else 'reports'}: is for mode sweep only"
    if settings.digest_to and settings.mode is not Mode.SWEEP:
        yield "digest_to: is for mode sweep only"
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
        except _Wrong as wrong:
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


def _choice(choices: type[Choice]) -> Callable[[str], Choice]:
    def convert(text: str) -> Choice:
        try:
            return choices(text)
        except ValueError:
            raise _Wrong(f"is not one of: {', '.join(choices)}") from None

    return convert


def _boolean(text: str) -> bool:
    try:
        return _BOOLEANS[text.lower()]
    except KeyError:
        raise _Wrong("is neither true (1) nor false (0)") from None


def _switch(text: str) -> bool | None:
    """On, off, or not said here: then other places are asked."""
    return _boolean(text) if text else None


def _one_line(text: str) -> str:
    if not text.isprintable():
        raise _Wrong("has a character that cannot be printed")
    return text


def _names(text: str) -> tuple[str, ...]:
    """Names with commas, blanks or ends of lines between them."""
    return tuple(dict.fromkeys(_one_line(" ".join(text.replace(",", " ").split())).split()))


def _pattern(text: str) -> str:
    try:
        compile_glob(_one_line(text))
    except RefusedGlob as refused:
        raise _Wrong(refused.reason) from None
    return text


def _key(text: str) -> str:
    if len(text) > _KEY_CHARACTERS:
        raise _Wrong(f"is longer than {_KEY_CHARACTERS} characters")
    return _one_line(text)


def _title(text: str) -> str:
    if len(text) > _TITLE_CHARACTERS:
        raise _Wrong(f"is longer than {_TITLE_CHARACTERS} characters")
    return _one_line(text)


def _revision(text: str) -> str:
    """What a person calls a commit; the checkout says later whether there is one."""
    if len(text) > _REVISION_CHARACTERS:
        raise _Wrong(f"is longer than {_REVISION_CHARACTERS} characters")
    return _one_line(text)


def _place(text: str) -> PurePosixPath:
    """A relative path that stays where it starts."""
    if len(text) > _PATH_CHARACTERS:
        raise _Wrong(f"is longer than {_PATH_CHARACTERS:,} characters")
    place = PurePosixPath(_one_line(text))
    if place.is_absolute():
        raise _Wrong("is absolute; give it relative to the workspace (paths of the host do not exist here)")
    if ".." in place.parts:
        raise _Wrong("has a '..'; it must stay in the workspace")
    if any(part.casefold() == ".git" for part in place.parts):
        raise _Wrong("is inside git's own folder")
    return place


def _file_place(text: str) -> str:
    if not text:
        return ""
    place = _place(text)
    if not place.parts or text.endswith("/"):
        raise _Wrong("names a folder, not a file")
    return str(place)


def _folder_place(workspace: str, text: str, remedy: str) -> str:
    place = _place(text)
    root = Path(os.path.realpath(workspace))
    folder = Path(os.path.realpath(root / place))
    if not folder.is_relative_to(root):
        raise _Wrong("leads out of the workspace through a link")
    if not os.path.isdir(folder):  # noqa: PTH112 - Path's own raises for a name that is too long
        raise _Wrong(f"is no folder of the workspace; {remedy}")
    return str(place)


def _given_file(workspace: str, text: str) -> str:
    """The absolute path of a file that is there: below the workspace, or where the runner keeps it."""
    if PurePosixPath(_one_line(text)).is_absolute():
        file = Path(text)
    else:
        root = Path(os.path.realpath(workspace))
        file = Path(os.path.realpath(root / _place(text)))
        if not file.is_relative_to(root):
            raise _Wrong("leads out of the workspace through a link")
    if not os.path.isfile(file):  # noqa: PTH113 - Path's own raises for a name that is too long
        raise _Wrong("is no file; a path of the host does not exist in a container, but RUNNER_TEMP does")
    return str(file)


def _shown(text: str) -> str:
    short = text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…"
    return f"'{short}'"
