"""`mode: sweep`: one issue over many sweeps, owners, shards, and what is no failure."""

from __future__ import annotations

import io
import json
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Barrier

import pytest
from git_repository import ENV as GIT_ENV
from git_repository import Repository
from hosted_project import REPOSITORY, Project, capsule
from local_step import LocalStep, Outcome
from loopback_github import PERSON, ROBOT, Fault, json_reply
from loopback_issues import Issue, IssuesInMemory
from runner_model import read_file_commands

from ophiuchus.cli import main
from ophiuchus.commands.edge import Edge
from ophiuchus.text.terminal import Terminal
from ophiuchus.views.budget import COMMENT, utf16_units

TITLE = "Hand-offs that need action"
OWNERS = "/app/ @octo/payments\n/lib/ @zoe lib@example.org\n"


@pytest.fixture
def github() -> Iterator[IssuesInMemory]:
    """A GitHub on loopback, with a token that is made here."""
    double = IssuesInMemory()
    double.repository = REPOSITORY
    double.tokens = {f"ghs_{secrets.token_hex(18)}": ROBOT}
    with double:
        yield double


class Swept:
    """A repository whose two capsules are about `app/pay.py` and `lib/mail.py`, swept again and again."""

    def __init__(self, top: Path, github: IssuesInMemory | None, owners: str = "") -> None:
        self.top = top
        self.github = github
        self.repository = Repository.create(top / "workspace")
        files = {"app/pay.py": "pay = 1\n", "lib/mail.py": "mail = 1\n", "top.py": "top = 1\n"}
        if owners:
            files[".github/CODEOWNERS"] = owners
        self.first = self.repository.commit(files)
        self.commit(
            {
                ".ophiuchus/pay.json": capsule("pay", self.first, ["app/**"]),
                ".ophiuchus/mail.json": capsule("mail", self.first, ["lib/**"]),
            }
        )

    def commit(self, files: Mapping[str, str]) -> str:
        self.head = self.repository.commit(dict(files))
        return self.head

    def make_stale(self, *names: str) -> None:
        """Exactly these two files, or one of them, are no longer what their capsules saw."""
        mark = secrets.token_hex(4)
        self.commit(
            {
                path: f"{name} = '{mark}'\n" if name in names else f"{name} = 1\n"
                for name, path in (("pay", "app/pay.py"), ("mail", "lib/mail.py"))
            }
        )

    def step(self, name: str = "schedule", **inputs: str) -> LocalStep:
        event = Project(self.repository, self.head, self.head, self.head).events()[name]
        step = LocalStep(
            self.top / f"runner-{secrets.token_hex(4)}",
            self.repository.top,
            event,
            REPOSITORY,
            {"mode": "sweep", **inputs},
        )
        if self.github is not None:
            (token,) = self.github.tokens
            step.inputs = {"github_token": token, **step.inputs}
            step.env = self.github.env
        return step

    def sweep(self, name: str = "schedule", **inputs: str) -> Outcome:
        """One sweep in this process, which is quicker than one of its own."""
        return run_here(self.step(name, **inputs))


def run_here(step: LocalStep) -> Outcome:
    out, err = io.StringIO(), io.StringIO()
    env = {**step.environment(), **GIT_ENV}
    status = main(["action"], Edge(env, datetime.now(UTC), io.BytesIO(), Terminal(out, err), out))
    return Outcome(
        status=status,
        stdout=out.getvalue(),
        stderr=err.getvalue(),
        outputs=read_file_commands(step.files["GITHUB_OUTPUT"].read_text()),
        summary=step.files["GITHUB_STEP_SUMMARY"].read_text(),
    )


def told_in(issue: Issue) -> str:
    return (issue.body or "").partition("<!-- ophiuchus:run -->")[0]


def test_over_five_sweeps_exactly_one_issue_is_seen_in_the_right_state_each_time(
    github: IssuesInMemory, tmp_path: Path
) -> None:
    """The acceptance of issue 7: dirty, dirtier, clean, dirty again, two at once."""
    swept = Swept(tmp_path, github)
    number = github.open_issue(PERSON, TITLE, "a person's own issue of the same title")

    def ours() -> Issue:
        (person_s, issue) = github.issues()
        assert (person_s.number, person_s.state) == (number, "open")
        return issue

    def sweep() -> Outcome:
        left = swept.step().run()
        assert left.status == 0, left.stderr
        assert left.outputs["issue_url"] == f"https://github.example/person/repo/issues/{ours().number}"
        assert left.outputs["comment_url"] == ""
        assert left.annotations("notice") == []
        return left

    swept.make_stale("pay")
    left = sweep()
    assert (ours().state, ours().title) == ("open", TITLE)
    assert "Action required: 1 of 2 capsules needs action" in told_in(ours())
    assert "Issue: created" in left.log
    assert (left.outputs["verdict"], left.outputs["passed"]) == ("stale", "true")

    swept.make_stale("pay", "mail")
    left = sweep()
    assert ours().state == "open"
    assert "Action required: 2 of 2 capsules need action" in told_in(ours())
    assert "Issue: updated" in left.log

    swept.make_stale()
    left = sweep()
    assert (ours().state, ours().reason) == ("closed", "completed")
    assert "Nothing to do" in told_in(ours())
    assert "Issue: closed" in left.log
    assert left.outputs["verdict"] == "valid"

    swept.make_stale("mail")
    left = sweep()
    assert (ours().state, ours().reason) == ("open", "reopened")
    assert "`mail`" in told_in(ours())
    assert "`pay`" not in told_in(ours())
    assert "Issue: reopened" in left.log

    swept.make_stale("pay")
    for both in at_once(swept):
        assert both.status == 0, both.stderr
    assert ours().state == "open"
    assert "`pay`" in told_in(ours())
    assert [method for method, _ in github.writes()].count("POST") == 1


def at_once(swept: Swept, count: int = 2) -> list[Outcome]:
    """So many sweeps that all look for the issue before any of them goes on."""
    assert swept.github is not None
    together = Barrier(count)
    swept.github.faults += [Fault("GET", "/issues", before=lambda: together.wait(30)) for _ in range(count)]
    steps = [swept.step() for _ in range(count)]
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(LocalStep.run, steps))


def test_two_first_sweeps_at_once_end_with_one_open_issue(github: IssuesInMemory, tmp_path: Path) -> None:
    swept = Swept(tmp_path, github)
    swept.make_stale("pay")
    urls = {left.outputs["issue_url"] for left in at_once(swept)}
    (issue,) = github.open_issues()
    assert urls == {f"https://github.example/person/repo/issues/{issue.number}"}
    assert [other.state for other in github.issues() if other.number > issue.number] == ["closed"]
    swept.make_stale()
    swept.sweep()
    assert github.open_issues() == []


def test_a_sweep_that_finds_the_same_writes_nothing_though_head_moved(
    github: IssuesInMemory, tmp_path: Path
) -> None:
    swept = Swept(tmp_path, github)
    swept.make_stale("pay")
    swept.sweep()
    swept.commit({"top.py": "top = 2\n"})
    left = swept.sweep()
    assert "Issue: unchanged" in left.log
    assert [method for method, _ in github.writes()] == ["POST"]


def test_a_clean_repository_has_no_issue_and_the_summary_says_so(
    github: IssuesInMemory, tmp_path: Path
) -> None:
    left = Swept(tmp_path, github).sweep()
    assert (left.status, left.outputs["issue_url"]) == (0, "")
    assert github.issues() == []
    assert "Nothing to do" in left.summary


# Whose it is.


def test_what_needs_action_is_grouped_by_owner_and_nobody_is_notified(
    github: IssuesInMemory, tmp_path: Path
) -> None:
    swept = Swept(tmp_path, github, OWNERS)
    swept.make_stale("pay", "mail")
    assert swept.sweep().status == 0
    (issue,) = github.issues()
    assert issue.body is not None
    assert "#### `@\u200bocto/payments`" in issue.body
    assert "#### `@\u200bzoe`, `lib@\u200bexample.org`" in issue.body
    assert not any(live in issue.body for live in ("@octo", "@zoe", "lib@example"))


def test_a_new_issue_notifies_owners_where_that_is_asked_for_and_an_update_does_not(
    github: IssuesInMemory, tmp_path: Path
) -> None:
    swept = Swept(tmp_path, github, OWNERS)
    swept.make_stale("mail")
    swept.sweep(notify_owners="true")
    (issue,) = github.issues()
    assert "\nTo the owners: @zoe\n" in (issue.body or "")
    swept.make_stale("mail", "pay")
    swept.sweep(notify_owners="true")
    (issue,) = github.issues()
    assert "To the owners" not in (issue.body or "")
    assert "@\u200bzoe" in (issue.body or "")


def test_a_hostile_file_of_owners_hinders_nothing(github: IssuesInMemory, tmp_path: Path) -> None:
    hostile = "* @a)](https://evil.example) <!--x--> @b\n" + "*a" * 8 + "b @slow\n" + "[ @x\n\\ @y\n"
    swept = Swept(tmp_path, github, hostile)
    swept.make_stale("mail", "pay")
    left = swept.sweep(notify_owners="true")
    (issue,) = github.issues()
    assert left.status == 0, left.stderr
    assert "To the owners: @b\n" in (issue.body or "")
    assert "<!--x" not in (issue.body or "")


# The gate.


@pytest.mark.parametrize("more", [{}, {"reports": "reports"}])
def test_a_gate_about_a_change_is_refused_where_nothing_is_compared(
    tmp_path: Path, more: dict[str, str]
) -> None:
    swept = Swept(tmp_path, None)
    (swept.repository.top / "reports").mkdir()
    swept.sweep(report_path="reports/all.json", comment="never")
    left = swept.sweep(fail_on="introduced", **more)
    assert left.status == 2
    assert "fail_on names introduced, " in "".join(one.data for one in left.annotations("error"))


# The title, the key, the size.


def test_the_title_is_the_input_s_with_nothing_live_in_it(github: IssuesInMemory, tmp_path: Path) -> None:
    swept = Swept(tmp_path, github)
    swept.make_stale("pay")
    swept.sweep(issue_title="Stale: see #1, @octocat")
    (issue,) = github.issues()
    assert issue.title == "Stale: see #\u200b1, @\u200boctocat"
    swept.sweep()
    (issue,) = github.issues()
    assert issue.title == TITLE


def test_sweeps_of_other_capsules_keep_an_issue_of_their_own(github: IssuesInMemory, tmp_path: Path) -> None:
    swept = Swept(tmp_path, github)
    swept.make_stale("pay", "mail")
    for capsules in (".ophiuchus/pay.json", ".ophiuchus/mail.json", ".ophiuchus/pay.json"):
        swept.sweep(capsules=capsules)
    assert ["`pay`" in told_in(issue) for issue in github.open_issues()] == [True, False]
    swept.sweep(comment_key="one for all")
    swept.sweep(comment_key="one for all", capsules=".ophiuchus/*.json")
    assert len(github.open_issues()) == 3


def test_a_large_issue_fits(github: IssuesInMemory, tmp_path: Path) -> None:
    swept = Swept(tmp_path, github, OWNERS)
    goal = "x" * 150
    swept.commit(
        {
            f".ophiuchus/more/{goal[:40]}{number}.json": capsule(
                f"{goal[:100]}-{number}", swept.first, ["app/**", f"{goal}{number}"]
            )
            for number in range(300)
        }
    )
    swept.make_stale("pay", "mail")
    left = swept.sweep(notify_owners="1")
    assert left.status == 0, left.stderr
    (issue,) = github.issues()
    assert 30_000 < utf16_units(issue.body or "") <= COMMENT.limit


# Shards.


def test_shards_are_joined_into_one_issue_and_one_report(github: IssuesInMemory, tmp_path: Path) -> None:
    swept = Swept(tmp_path, github, OWNERS)
    swept.make_stale("pay", "mail")
    (swept.repository.top / "reports").mkdir()
    for number in (1, 2, 3):
        place = f"reports/{number}/report.json"
        (swept.repository.top / place).parent.mkdir()
        left = swept.sweep(shard=f"{number}/3", report_path=place)
        assert (left.status, left.outputs["report_path"]) == (0, place)
    assert github.seen == []
    left = swept.sweep(reports="reports", report_path="all.json", sarif="all.sarif", fail_on="stale")
    assert (left.status, left.outputs["verdict"]) == (1, "stale")
    assert json.loads(left.outputs["counts"])["capsules"] == 2
    (issue,) = github.open_issues()
    assert "Action required: 2 of 2 capsules need action" in told_in(issue)
    assert "#### `@\u200bocto/payments`" in told_in(issue)
    assert len(json.loads((swept.repository.top / "all.json").read_text())["capsules"]) == 2
    assert json.loads((swept.repository.top / "all.sarif").read_text())["version"] == "2.1.0"


def test_the_sarif_of_joined_repositories_is_about_the_runs_own(tmp_path: Path) -> None:
    swept = Swept(tmp_path, None)
    swept.make_stale("pay", "mail")
    folder = swept.repository.top / "reports"
    folder.mkdir()
    swept.sweep(report_path="reports/own.json", comment="never")
    away = json.loads((folder / "own.json").read_text())
    away["evaluated"]["repository"] = "away/else"
    (folder / "away.json").write_text(json.dumps(away))
    left = swept.sweep(reports="reports", sarif="all.sarif", comment="never")
    assert json.loads(left.outputs["counts"])["capsules"] == 4
    (run,) = json.loads((swept.repository.top / "all.sarif").read_text())["runs"]
    assert len(run["results"]) == 2
    (said,) = run["invocations"][0]["toolExecutionNotifications"]
    assert said["message"]["text"] == "2 results of other repositories were left out."


def test_where_not_all_was_judged_nothing_is_called_well(github: IssuesInMemory, tmp_path: Path) -> None:
    swept = Swept(tmp_path, github)
    swept.make_stale("pay")
    assert swept.sweep().outputs["issue_url"]
    folder = swept.repository.top / "reports"
    folder.mkdir()
    swept.make_stale()  # nothing is, any more
    swept.sweep(report_path="reports/all.json", comment="never")
    cut = json.loads((folder / "all.json").read_text())
    cut["evaluated"]["truncated"] = 3
    (folder / "all.json").write_text(json.dumps(cut))
    left = swept.sweep(reports="reports")
    assert "No issue was written: 3 capsules were not judged" in left.log
    assert len(github.open_issues()) == 1


def test_a_shard_that_is_missing_keeps_the_issue_open(github: IssuesInMemory, tmp_path: Path) -> None:
    swept = Swept(tmp_path, github)
    (swept.repository.top / "reports").mkdir()
    swept.sweep(shard="1/2", report_path="reports/1.json")
    left = swept.sweep(reports="reports")
    assert left.status == 2
    (issue,) = github.open_issues()
    assert "shard 2/2 is missing" in told_in(issue)


def test_without_a_checkout_the_reports_are_enough(github: IssuesInMemory, tmp_path: Path) -> None:
    swept = Swept(tmp_path, github, OWNERS)
    swept.make_stale("pay")
    swept.sweep(report_path="one.json", comment="never")
    step = swept.step(reports="reports")
    step.workspace = tmp_path / "elsewhere"
    (step.workspace / "reports").mkdir(parents=True)
    (swept.repository.top / "one.json").rename(step.workspace / "reports/one.json")
    assert run_here(step).status == 0
    (issue,) = github.open_issues()
    assert "Whose these are was not looked up" in told_in(issue)


@pytest.mark.parametrize("content", [None, "{}"])
def test_a_folder_without_a_report_is_told_and_no_issue_is_closed(
    github: IssuesInMemory, tmp_path: Path, content: str | None
) -> None:
    swept = Swept(tmp_path, github)
    (swept.repository.top / "reports").mkdir()
    if content is not None:
        (swept.repository.top / "reports/a.json").write_text(content)
    left = swept.sweep(reports="reports")
    assert left.status == 2
    assert github.seen == []
    assert left.annotations("error")


# What leaves the issue alone.


@pytest.mark.parametrize(
    ("name", "inputs", "said"),
    [
        ("pull_request", {}, "the issue is about the default branch"),
        ("merge_group", {}, "the issue is about the default branch"),
        ("schedule", {"shard": "1/2"}, "this is shard 1/2"),
        ("schedule", {"comment": "never"}, ""),
    ],
)
def test_what_is_not_all_of_the_default_branch_leaves_the_issue_alone(
    github: IssuesInMemory, tmp_path: Path, name: str, inputs: Mapping[str, str], said: str
) -> None:
    swept = Swept(tmp_path, github)
    swept.make_stale("pay")
    left = swept.sweep(name, **inputs)
    assert left.status == 0, left.stderr
    assert github.seen == []
    assert said in left.log
    assert ("No issue was written: " in left.log) == bool(said)
    assert left.outputs["issue_url"] == ""
    assert left.annotations("notice") == []


def test_a_branch_that_was_chosen_by_hand_leaves_the_issue_alone(
    github: IssuesInMemory, tmp_path: Path
) -> None:
    swept = Swept(tmp_path, github)
    swept.make_stale("pay")
    step = swept.step("workflow_dispatch")
    step.event = replace(step.event, ref="refs/heads/release")
    assert "No issue was written" in run_here(step).log
    assert github.seen == []
    assert "Issue: created" in swept.sweep("workflow_dispatch").log


# What is one notice.


def _disable(github: IssuesInMemory) -> None:
    github.has_issues = False


def _forbid(github: IssuesInMemory) -> None:
    reply = json_reply(403, {"message": "Resource not accessible by integration"})
    github.faults.append(Fault("POST", "/issues$", raw=reply.as_bytes()))


@pytest.mark.parametrize(
    ("hinder", "words", "fail_on"),
    [
        (_disable, "issues are switched off", ""),
        (_forbid, "`permissions: issues: write`", ""),
        (_forbid, "`permissions: issues: write`", "stale"),
    ],
)
def test_an_issue_that_cannot_be_written_is_one_notice_and_never_the_status(
    github: IssuesInMemory,
    tmp_path: Path,
    hinder: Callable[[IssuesInMemory], None],
    words: str,
    fail_on: str,
) -> None:
    swept = Swept(tmp_path, github)
    swept.make_stale("pay")
    hinder(github)
    left = swept.sweep(fail_on=fail_on)
    assert left.status == (1 if fail_on else 0), left.stderr
    (notice,) = left.annotations("notice")
    assert words in notice.data
    assert words.replace("`", "\\`") in left.summary.replace("\u200b", "")
    assert re.search("\nIssue: (not written|unknown)\n", left.log)
    assert left.outputs["issue_url"] == ""
    assert left.outputs["verdict"] == "stale"


def test_without_a_token_the_sweep_is_told_and_the_issue_is_one_notice(tmp_path: Path) -> None:
    swept = Swept(tmp_path, None)
    swept.make_stale("pay")
    left = swept.sweep()
    assert left.status == 0, left.stderr
    (notice,) = left.annotations("notice")
    assert "no token was given" in notice.data
    assert "Action required" in left.summary


def test_a_capsule_that_cannot_be_read_opens_the_issue_and_fails_the_step(
    github: IssuesInMemory, tmp_path: Path
) -> None:
    swept = Swept(tmp_path, github)
    swept.commit({".ophiuchus/bad.json": "{ oops"})
    left = swept.sweep()
    assert (left.status, left.outputs["verdict"]) == (2, "unreadable")
    (issue,) = github.open_issues()
    assert ".ophiuchus/bad.json:1" in told_in(issue)
    assert json.loads(left.outputs["counts"])["problems"] == 1
