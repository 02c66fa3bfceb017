"""How a step gets out of a company's network: a private authority, GitHub Enterprise's addresses, a proxy.

GitHub's API and git are two servers on loopback, each behind TLS with a certificate that nobody knows.
"""

from __future__ import annotations

import json
import secrets
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from hosted_project import NUMBER, REPOSITORY, Project
from local_step import LocalStep, Outcome
from loopback_github import ROBOT, Fault, MemoryGitHub, json_reply
from self_signed import Certificate, self_signed
from smart_http import GitServer, serve_bare, serving
from tls_relay import proxying, secured

BASE, GRAPHQL = "/api/v3", "/api/graphql"


@dataclass
class Company:
    """A GitHub Enterprise Server with one pull request, and what a step on it has in its environment."""

    project: Project
    github: MemoryGitHub
    git: GitServer
    env: Mapping[str, str]
    authority: Certificate

    def step(self, folder: Path, name: str = "pull_request", **inputs: str) -> LocalStep:
        """A step on a checkout of depth 1 whose capsules have no anchors: their base must be fetched."""
        event = self.project.events()[name]
        checkout = self.project.checkout(folder / "workspace", event.ref)
        (token,) = self.github.tokens
        inputs = {"github_token": token, "report_path": "report.json", **inputs}
        return LocalStep(folder / "runner", checkout, event, REPOSITORY, inputs, dict(self.env))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project.create(tmp_path_factory.mktemp("server") / "repo")


@pytest.fixture
def company(project: Project, tmp_path: Path) -> Iterator[Company]:
    (tmp_path / "authority").mkdir()
    authority = self_signed(tmp_path / "authority")
    serve_bare(project.server.top, tmp_path / "served", REPOSITORY)
    github = MemoryGitHub(base=BASE, graphql=GRAPHQL)
    github.repository, github.number, github.head = REPOSITORY, NUMBER, project.head
    github.tokens = {f"ghs_{secrets.token_hex(18)}": ROBOT}
    with (
        github,
        serving(tmp_path / "served") as git,
        secured(github.url, authority) as api,
        secured(git.url, authority) as server,
    ):
        env = {
            "GITHUB_API_URL": api.secure_url + BASE,
            "GITHUB_GRAPHQL_URL": api.secure_url + GRAPHQL,
            "GITHUB_SERVER_URL": server.secure_url,
        }
        yield Company(project, github, git, env, authority)


def is_compared(step: LocalStep) -> bool:
    """Whether the base of the pull request, which the checkout lacks, was there to compare with."""
    report = json.loads((step.workspace / "report.json").read_text())
    return not any(notice["code"] == "base_unknown" for notice in report["notices"])


def notices(outcome: Outcome) -> str:
    return "\n".join(found.data for found in outcome.annotations("notice"))


def test_without_its_authority_a_server_is_not_believed(company: Company, tmp_path: Path) -> None:
    step = company.step(tmp_path)
    outcome = step.run()
    assert outcome.status == 0
    assert "could not be reached (SSLCertVerificationError)" in notices(outcome)
    assert not is_compared(step)
    assert company.github.seen == []
    assert company.git.exchanges == []


@pytest.mark.parametrize("kind", ["in the workspace", "absolute"])
def test_its_authority_is_trusted_by_the_api_and_by_git(company: Company, tmp_path: Path, kind: str) -> None:
    step = company.step(tmp_path)
    place = step.workspace / "ca.pem" if kind == "in the workspace" else step.temp / "ca.pem"
    place.write_bytes(company.authority.file.read_bytes())
    step.inputs = {**step.inputs, "ca_bundle": "ca.pem" if kind == "in the workspace" else str(place)}
    outcome = step.run()
    assert outcome.status == 0, outcome.log
    assert is_compared(step)
    assert len(company.github.comments()) == 1
    assert not any(seen.path.startswith("OUTSIDE") for seen in company.github.seen)
    assert outcome.outputs["comment_url"].startswith(company.env["GITHUB_SERVER_URL"])
    kept = [place] if kind == "absolute" else []
    assert list(step.temp.rglob("*")) == kept


@pytest.mark.parametrize("name", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"])
def test_the_environments_own_file_of_authorities_counts_too(
    company: Company, tmp_path: Path, name: str
) -> None:
    step = company.step(tmp_path)
    step.env = {**step.env, name: str(company.authority.file)}
    assert step.run().status == 0
    assert is_compared(step)
    assert len(company.github.comments()) == 1


def test_a_proxy_is_asked_for_a_tunnel_to_each_server_and_for_nothing_else(
    company: Company, tmp_path: Path
) -> None:
    step = company.step(tmp_path, ca_bundle=str(company.authority.file))
    with proxying() as proxy:
        step.env = {**step.env, "HTTPS_PROXY": proxy.proxy_url, "https_proxy": proxy.proxy_url}
        outcome = step.run()
    assert outcome.status == 0, outcome.log
    assert is_compared(step)
    assert len(company.github.comments()) == 1
    hosts = {company.env[name].split("/")[2] for name in ("GITHUB_API_URL", "GITHUB_SERVER_URL")}
    assert {tuple(line.split(" ")[:2]) for line in proxy.asked} == {("CONNECT", host) for host in hosts}
    (token,) = company.github.tokens
    assert token not in "".join(proxy.asked)


def test_what_no_proxy_names_is_asked_directly(company: Company, tmp_path: Path) -> None:
    step = company.step(tmp_path, ca_bundle=str(company.authority.file))
    with proxying() as proxy:
        exceptions = {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
        step.env = {**step.env, "HTTPS_PROXY": proxy.proxy_url, "https_proxy": proxy.proxy_url, **exceptions}
        assert step.run().status == 0
    assert proxy.asked == []
    assert is_compared(step)
    assert len(company.github.comments()) == 1


def test_a_file_that_holds_no_certificate_is_refused_before_anything_is_asked(
    company: Company, tmp_path: Path
) -> None:
    step = company.step(tmp_path, ca_bundle="README.md")
    (step.workspace / "README.md").write_text("no certificate\n")
    outcome = step.run()
    assert outcome.status == 2
    (told,) = outcome.annotations("error")
    assert "ca_bundle names no file of certificates that can be read" in told.data
    assert company.github.seen == []


def test_a_read_that_is_throttled_is_asked_again_when_the_server_says(
    company: Company, tmp_path: Path
) -> None:
    company.github.faults = [
        Fault("POST", "GRAPHQL", raw=json_reply(429, {"message": "slow"}, Retry_After="1").as_bytes())
    ]
    started = time.monotonic()
    outcome = company.step(tmp_path, ca_bundle=str(company.authority.file)).run()
    assert time.monotonic() - started >= 1
    assert len(company.github.comments()) == 1, outcome.log


def test_a_step_that_waits_to_ask_again_can_be_cancelled(company: Company, tmp_path: Path) -> None:
    company.github.faults = [
        Fault("POST", "GRAPHQL", raw=json_reply(429, {"message": "slow"}, Retry_After="30").as_bytes())
    ]
    step = company.step(tmp_path, ca_bundle=str(company.authority.file))
    with subprocess.Popen(
        step.command(), cwd=step.folder, env=step.environment(), stdout=subprocess.PIPE
    ) as process:
        until = time.monotonic() + 20
        while not company.github.seen and time.monotonic() < until:
            time.sleep(0.02)
        time.sleep(0.2)
        assert process.poll() is None
        start = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
    assert process.returncode == 128 + signal.SIGTERM
    assert time.monotonic() - start < 5
    assert list(step.temp.rglob("*")) == []
    assert company.github.comments() == []


def test_the_debug_log_has_phases_and_numbers_only(company: Company, tmp_path: Path) -> None:
    step = company.step(tmp_path, ca_bundle=str(company.authority.file))
    step.env = {**step.env, "RUNNER_DEBUG": "1"}
    outcome = step.run()
    lines = [found.data.split(" ") for found in outcome.commands if found.name == "debug"]
    phases = [line[0].removeprefix("phase=") for line in lines]
    expected = ["inputs", "trust", "judged", "summary", "file", "outputs", "annotations", "comment"]
    assert phases == [*expected, "outputs", "ended"]
    for line in lines:
        for pair in line[1:]:
            float(pair.partition("=")[2])
    assert "capsules=3" in lines[2]


def test_without_debugging_there_is_no_debug_log(company: Company, tmp_path: Path) -> None:
    outcome = company.step(tmp_path, ca_bundle=str(company.authority.file)).run()
    assert not [found for found in outcome.commands if found.name == "debug"]
