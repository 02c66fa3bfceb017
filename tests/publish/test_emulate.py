"""Publishing to `emulate`, a stateful double that nobody here wrote, through a connection that may break."""

from __future__ import annotations

import itertools
import json
import secrets
import urllib.request
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from emulated_github import MISSING, is_installed, running_emulate
from go_between import GoBetween
from loopback_github import PERSON, LoopbackGitHub

from ophiuchus.publish.attempt import attempt
from ophiuchus.publish.capability import Operation, ProviderName
from ophiuchus.publish.outcome import Mend, Outcome, OutcomeStatus
from ophiuchus.publish.provider import Write
from ophiuchus.publish.providers.opening import open_provider
from ophiuchus.publish.reference import Reference

pytestmark = [pytest.mark.node, pytest.mark.skipif(not is_installed(), reason=MISSING)]

CREATE, APPEND = Operation.CREATE, Operation.APPEND
AUTHOR = next(token for token, login in LoopbackGitHub.tokens.items() if login == PERSON)
WRITER, READER = (f"x{'oxb'}-{secrets.token_hex(12)}" for _ in range(2))
SLACK_SEED = {
    "slack": {
        "strict_scopes": True,
        "users": [{"name": "one"}],
        "channels": [{"name": f"channel-{number}"} for number in range(4)],
        "tokens": [
            {"token": WRITER, "user": "one", "scopes": ["chat:write"]},
            {"token": READER, "user": "one", "scopes": ["channels:read", "channels:history"]},
        ],
    }
}
"""The scope that the documentation names is enough; the test itself reads with another token."""
GITHUB_TEXTS: Mapping[Operation, Mapping[str, Any]] = {
    CREATE: {"title": "t", "body": "first", "labels": []},
    APPEND: {"body": "second"},
}
SLACK_TEXTS: Mapping[Operation, Mapping[str, Any]] = {
    CREATE: {"text": "first", "unfurl_links": False, "unfurl_media": False},
    APPEND: {"text": "second", "reply_broadcast": False},
}
COUNTER = itertools.count()


class Double(ABC):
    """One service with a target of its own. `texts` are the contents of its two operations."""

    provider: ProviderName
    variable: str
    base = ""
    texts: Mapping[Operation, Mapping[str, Any]]

    def __init__(self, url: str, token: str) -> None:
        self.url = url
        self.token = token
        self.target = self.new_target()

    @abstractmethod
    def new_target(self) -> str: ...

    @abstractmethod
    def artifacts(self) -> list[str]:
        """The texts of all that a create made at the target."""

    @abstractmethod
    def parts(self, artifact: Reference) -> list[str]:
        """The texts of all that was added to it."""

    def publish(self, operation: Operation, append_to: Reference | None, *, drops: bool) -> Outcome:
        with GoBetween(self.url, drops=drops) as between:
            provider = open_provider(self.provider, {self.variable: self.token}, between.origin + self.base)
            outcome = attempt(provider, Write(operation, self.target, self.texts[operation], append_to))
        assert between.passed == 1
        return outcome

    def ask(self, path: str, token: str, body: Any = None) -> Any:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)


class GitHub(Double):
    provider = ProviderName.GITHUB
    variable = "OPHIUCHUS_GITHUB_TOKEN"
    texts = GITHUB_TEXTS

    def new_target(self) -> str:
        name = f"published-{next(COUNTER)}"
        self.ask("/user/repos", AUTHOR, {"name": name})
        return f"{PERSON}/{name}"

    def artifacts(self) -> list[str]:
        return [issue["body"] for issue in self.ask(f"/repos/{self.target}/issues", AUTHOR)]

    def parts(self, artifact: Reference) -> list[str]:
        path = f"/repos/{self.target}/issues/{artifact.artifact}/comments"
        return [comment["body"] for comment in self.ask(path, AUTHOR)]


class Slack(Double):
    provider = ProviderName.SLACK
    variable = "OPHIUCHUS_SLACK_BOT_TOKEN"
    base = "/api"
    texts = SLACK_TEXTS

    def new_target(self) -> str:
        listed = self.ask("/api/conversations.list", READER, {})["channels"]
        name = f"channel-{next(COUNTER) % 4}"
        return str(next(channel["id"] for channel in listed if channel["name"] == name))

    def artifacts(self) -> list[str]:
        found = self.ask("/api/conversations.history", READER, {"channel": self.target})
        return [message["text"] for message in found["messages"]]

    def parts(self, artifact: Reference) -> list[str]:
        asked = {"channel": self.target, "ts": artifact.artifact}
        found = self.ask("/api/conversations.replies", READER, asked)
        return [message["text"] for message in found["messages"] if message["ts"] != artifact.artifact]


@pytest.fixture(scope="module")
def github_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_emulate(tmp_path_factory.mktemp("github")) as url:
        yield url


@pytest.fixture(scope="module")
def slack_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_emulate(tmp_path_factory.mktemp("slack"), "slack", SLACK_SEED) as url:
        yield url


@pytest.fixture(params=[GitHub, Slack], ids=lambda kind: kind.__name__)
def double(request: pytest.FixtureRequest, github_url: str, slack_url: str) -> Double:
    return GitHub(github_url, AUTHOR) if request.param is GitHub else Slack(slack_url, WRITER)


@pytest.mark.parametrize("drops", [False, True], ids=["answers", "drops"])
def test_one_artifact_and_one_part_whatever_becomes_of_the_answer(double: Double, drops: bool) -> None:
    before = double.artifacts()
    made = double.publish(CREATE, None, drops=False)
    assert made.status is OutcomeStatus.PUBLISHED, made.reason
    assert made.reference is not None
    again = double.publish(CREATE, None, drops=drops)
    added = double.publish(APPEND, made.reference, drops=drops)
    expected = OutcomeStatus.AMBIGUOUS if drops else OutcomeStatus.PUBLISHED
    assert [again.status, added.status] == [expected, expected]
    assert len(double.artifacts()) - len(before) == 2
    assert double.parts(made.reference) == ["second"]
    if not drops:
        assert added.reference is not None
        assert added.reference.whole == made.reference


def test_a_refusal_is_told_with_the_providers_own_word(slack_url: str) -> None:
    slack = Slack(slack_url, WRITER)
    slack.target = "C0NOWHERE"
    assert slack.publish(CREATE, None, drops=False) == Outcome(
        OutcomeStatus.FAILED, "the provider refused: channel_not_found", mend=Mend.TARGET
    )
    slack.token = READER
    refused = slack.publish(CREATE, None, drops=False)
    assert refused == Outcome(
        OutcomeStatus.FAILED, "the provider refused: missing_scope", mend=Mend.CREDENTIAL
    )
