"""`ophiuchus inspect`, end to end on real repositories."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest
from command_run import AHEAD, PASSED, CommandRun, capsule, deadline, paths
from git_repository import Repository

from ophiuchus.report.judge import LIMITS
from ophiuchus.report.serial import report_schema

BOM = "\ufeff"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Two capsules in the folder, one of them bad besides, one elsewhere, one that is not committed."""
    made = Repository.create(tmp_path / "repository")
    base = made.commit({"src/a.py": "1\n"})
    made.commit(
        {
            ".ophiuchus/one.json": capsule("cap-1", paths("src/**", base=base)),
            ".ophiuchus/two.json": capsule("cap-2", deadline(PASSED), surprise=1),
            ".ophiuchus/bad.json": "{\n",
            ".ophiuchus/package.json": "{}",
            "docs/far.json": capsule("cap-far", deadline(AHEAD)),
        }
    )
    made.write("draft.json", capsule("cap-draft", deadline(AHEAD)))
    return made


def inspect(repository: Repository, *words: str, **more: Any) -> CommandRun:
    """The JSON report of a run, checked against its schema."""
    run = CommandRun(repository.top, "inspect", "--format", "json", *words, **more)
    assert run.err == ""
    jsonschema.validate(run.json, report_schema(), jsonschema.Draft202012Validator)
    return run


def ids(run: CommandRun) -> list[str]:
    return [one["capsule_id"] for one in run.json["capsules"]]


def codes(run: CommandRun, of: str = "notices") -> list[str]:
    return [one["code"] for one in run.json[of]]


@pytest.mark.parametrize(
    "name", ["cap-1", "CAP-1", ".ophiuchus/one.json", "./.ophiuchus/../.ophiuchus/one.json"]
)
def test_a_committed_capsule_is_found_by_id_and_by_path(repository: Repository, name: str) -> None:
    run = inspect(repository, name)
    assert run.status == 0
    assert ids(run) == ["cap-1"]
    assert run.json["capsules"][0]["path"] == ".ophiuchus/one.json"
    assert run.json["notices"] == []


def test_only_this_capsules_notices_and_problems_count(repository: Repository) -> None:
    run = inspect(repository, "cap-2")
    assert run.status == 0
    assert codes(run) == ["unknown_key"]
    assert run.json["problems"] == []
    assert run.json["totals"]["verdicts"]["stale"] == 1


@pytest.mark.parametrize("name", [".ophiuchus/bad.json", "bad", "BAD"])
def test_a_bad_file_is_a_problem_of_its_own_also_by_the_id_that_it_is_named_after(
    repository: Repository, name: str
) -> None:
    run = inspect(repository, name)
    assert run.status == 2
    assert ids(run) == []
    assert codes(run, "problems") == ["not_json"]


def test_a_committed_capsule_outside_the_folder_is_found_by_path(repository: Repository) -> None:
    run = inspect(repository, "docs/far.json")
    assert ids(run) == ["cap-far"]
    assert run.json["notices"] == []


def test_ids_are_looked_for_where_capsules_are_said_to_be(repository: Repository) -> None:
    assert ids(inspect(repository, "cap-far", "--capsules", "docs/*.json")) == ["cap-far"]


def test_a_path_is_seen_from_the_working_folder_first(repository: Repository) -> None:
    run = CommandRun(repository.top / "docs", "inspect", "far.json", "--format", "json")
    assert ids(run) == ["cap-far"]
    run = CommandRun(
        repository.top.parent, "inspect", "-C", "repository/docs", "far.json", "--format", "json"
    )
    assert ids(run) == ["cap-far"]
    run = CommandRun(repository.top / "docs", "inspect", "docs/far.json", "--format", "json")
    assert ids(run) == ["cap-far"]


def test_a_file_that_is_not_committed_is_judged_with_a_notice(repository: Repository) -> None:
    run = inspect(repository, "draft.json")
    assert run.status == 0
    assert ids(run) == ["cap-draft"]
    assert codes(run) == ["not_committed"]


def test_the_committed_text_wins_over_the_one_on_disk(repository: Repository) -> None:
    """C058."""
    repository.write(".ophiuchus/one.json", "{ not JSON")
    assert ids(inspect(repository, ".ophiuchus/one.json")) == ["cap-1"]


def test_a_file_out_of_the_repository_is_judged(repository: Repository, tmp_path: Path) -> None:
    outside = tmp_path / "outside.json"
    outside.write_text(capsule("cap-out", deadline(AHEAD)))
    assert ids(inspect(repository, str(outside))) == ["cap-out"]


def test_the_standard_input_is_judged(repository: Repository) -> None:
    """C013: a byte-order mark is accepted on this path too."""
    run = inspect(repository, "-", stdin=(BOM + capsule("cap-in", deadline(AHEAD))).encode())
    assert ids(run) == ["cap-in"]
    assert codes(run) == ["byte_order_mark", "not_committed"]


def test_a_bad_standard_input_is_a_problem(repository: Repository) -> None:
    run = inspect(repository, "-", stdin=b'{"capsule_id": 1,\n "goal": 2}')
    assert run.status == 2
    assert set(codes(run, "problems")) == {"bad_field"}


def test_an_endless_standard_input_is_not_read_whole(repository: Repository) -> None:
    run = inspect(repository, "-", stdin=b" " * 3_000_000)
    assert codes(run, "problems") == ["too_large"]


def test_an_id_of_two_files_is_refused(repository: Repository) -> None:
    repository.commit({".ophiuchus/copy.json": capsule("Cap-1")})
    run = CommandRun(repository.top, "inspect", "cap-1")
    assert run.status == 2
    assert "means more than one capsule" in run.err
    assert ".ophiuchus/copy.json" in run.err
    assert ".ophiuchus/one.json" in run.err


def test_a_file_whose_id_another_has_too_is_a_problem_by_path(repository: Repository) -> None:
    repository.commit({".ophiuchus/copy.json": capsule("Cap-1")})
    run = inspect(repository, ".ophiuchus/copy.json")
    assert run.status == 2
    assert codes(run, "problems") == ["duplicate_id"]


def test_a_name_that_is_an_id_and_another_files_path_is_refused(repository: Repository) -> None:
    repository.commit({"cap-1": capsule("cap-9")})
    run = CommandRun(repository.top, "inspect", "cap-1")
    assert run.status == 2
    assert "means more than one capsule" in run.err


@pytest.mark.parametrize("name", ["cap-3", "src/nothing.json", ":!x", "", "..", "docs", "x\udcff"])
def test_a_name_of_nothing_is_told(repository: Repository, name: str) -> None:
    run = CommandRun(repository.top, "inspect", "--", name)
    assert run.status == 2
    assert run.out == ""
    assert "there is no capsule" in run.err


@pytest.mark.parametrize("options", [[], ["--tree", "index"]])
def test_an_id_that_is_only_written_leads_to_its_file(repository: Repository, options: list[str]) -> None:
    """What `capture` has just written is named by its id, before anybody committed it."""
    repository.write(".ophiuchus/cap-3.json", capsule("cap-3", deadline(AHEAD)))
    run = CommandRun(repository.top, "inspect", "-C", "src", "cap-3", *options)
    assert run.status == 2
    assert "'cap-3' is written, but is no part of what is judged" in run.err
    file = "../.ophiuchus/cap-3.json"
    assert f"commit it, or give its file: {file}\n" in run.err
    assert CommandRun(repository.top, "inspect", "-C", "src", file, *options).status == 0


def test_what_is_not_found_leads_to_the_list_of_ids(repository: Repository) -> None:
    assert "`ophiuchus check` lists ids" in CommandRun(repository.top, "inspect", "cap-3").err


@pytest.mark.parametrize(("part", "meant"), [("P-1", "; did you mean cap-1?\n"), ("cap", "\n"), ("x", "\n")])
def test_a_part_of_one_id_leads_to_it(repository: Repository, part: str, meant: str) -> None:
    run = CommandRun(repository.top, "inspect", part)
    assert run.err.startswith(f"ophiuchus: there is no capsule {part!r}{meant}")
    assert run.status == 2


@pytest.mark.parametrize("name", [".ophiuchus/package.json", "package"])
def test_a_file_that_is_no_capsule_is_told(repository: Repository, name: str) -> None:
    run = CommandRun(repository.top, "inspect", name)
    assert run.status == 2
    assert "no capsule" in run.err


def test_a_capsule_of_a_newer_version_is_told(repository: Repository) -> None:
    run = CommandRun(repository.top, "inspect", "-", stdin=capsule("cap-1", schema_version=2).encode())
    assert run.status == 2
    assert "newer version" in run.err


@pytest.mark.parametrize("text", ["[1]", '{"a": 1}', "null"])
def test_what_is_not_judged_is_not_said_to_be_judged(repository: Repository, text: str) -> None:
    run = CommandRun(repository.top, "inspect", "-", stdin=text.encode())
    assert (run.status, run.out) == (2, "")
    assert run.err.strip().endswith("no capsule: not judged")
    assert "as it is" not in run.err


def test_the_index_and_another_moment_can_be_judged(repository: Repository) -> None:
    repository.write("src/a.py", "2\n")
    repository.git("add", "-A")
    assert inspect(repository, "cap-1", "--tree", "index").json["totals"]["verdicts"]["stale"] == 1
    assert (
        inspect(repository, "cap-2", "--at", "2019-01-01T00:00:00Z").json["totals"]["verdicts"]["valid"] == 1
    )


def test_a_continued_capsule_says_so(repository: Repository) -> None:
    child = capsule("cap-3", deadline(AHEAD), parent_capsule_id="cap-2")
    repository.commit({".ophiuchus/three.json": child})
    assert inspect(repository, "cap-2").json["capsules"][0]["continued"] is True


def test_people_read_every_condition(repository: Repository) -> None:
    out = CommandRun(repository.top, "inspect", "cap-2").out
    for words in ("cap-2", "stale", "vc-1", "has passed", "not your work tree"):
        assert words in out


# Fidelity.


UNITS = [
    {"unit_id": "goal", "kind": "goal"},
    {"unit_id": "card", "kind": "contact_cards", "index": 0},
    {"unit_id": "moods", "kind": "moods"},
]


def fidelity(repository: Repository, *words: str) -> list[dict[str, Any]]:
    text = capsule("cap", critical=UNITS, contact_cards=[{"name": "A"}]).encode()
    told: list[dict[str, Any]] = inspect(repository, "-", *words, stdin=text).json["capsules"][0]["fidelity"]
    return told


def test_fidelity_is_told_of_all_units_for_codex_unless_another_is_asked(repository: Repository) -> None:
    """C074: an unknown kind is unsupported."""
    (told,) = fidelity(repository)
    assert (told["consumer"], told["preserved"]) == ("codex", 1)
    assert [(one["unit_id"], one["kind"], one["verdict"]) for one in told["units"]] == [
        ("goal", "goal", "preserved"),
        ("card", "contact_cards", "unsupported"),
        ("moods", "moods", "unsupported"),
    ]
    two = fidelity(repository, "--with", "cursor", "--with", "claude-code", "--with", "cursor")
    assert [one["consumer"] for one in two] == ["cursor", "claude-code"]


def test_a_sender_sees_that_nothing_is_known_yet(repository: Repository) -> None:
    (told,) = fidelity(repository, "--sender")
    assert (told["consumer"], told["preserved"]) == (None, 0)
    assert {one["verdict"] for one in told["units"]} == {"unknown"}
    run = CommandRun(repository.top, "inspect", "cap-1", "--sender", "--with", "codex")
    assert run.status == 2


def test_continuity_of_what_is_not_committed_is_seen_from_the_commit(repository: Repository) -> None:
    text = capsule("new", deadline(AHEAD), parent_capsule_id="CAP-1").encode()
    told = inspect(repository, "-", stdin=text).json["capsules"][0]["continuity"]
    assert (told["status"], told["hops"]) == ("compared", 1)


def test_people_read_all_four_tracks(repository: Repository) -> None:
    item = {"item_id": "shortcut", "hypothesis": "h", "why_invalid": "w", "applies_while": ["vc-1"]}
    text = capsule(
        "new",
        deadline(PASSED),
        parent_capsule_id="cap-1",
        critical=UNITS,
        contact_cards=[{"name": "A"}],
        negative_knowledge=[item],
    )
    out = CommandRun(repository.top, "inspect", "-", stdin=text.encode()).out
    for words in (
        "new: ✗ stale",
        "vc-1 (time_window, line ",
        "- shortcut: ✗ revalidation required, ruled out while “vc-1” held",
        "Continues cap-1: ✓ compared, 1 ancestor read",
        "Fidelity to codex: 1 of 3 critical units whole",
        "- card at contact_cards: ✗ unsupported, contact_cards has no place in what agents get",
    ):
        assert words in out
    for limit in LIMITS.values():
        assert limit in out


def test_what_the_summary_would_lose_can_be_asked(repository: Repository) -> None:
    (told,) = fidelity(repository, "--with", "summary")
    assert told["consumer"] == "summary"
    assert [one["verdict"] for one in told["units"]] == ["preserved", "unsupported", "unsupported"]


@pytest.mark.parametrize("consumer", ["record", "discuss"])
def test_what_a_publication_would_lose_can_be_asked(repository: Repository, consumer: str) -> None:
    """By the real composers, without the contact cards, which only a destination can ask for."""
    (told,) = fidelity(repository, "--with", consumer)
    assert (told["consumer"], told["preserved"]) == (consumer, 1)
    verdicts = [(one["verdict"], one["reason"]) for one in told["units"]]
    assert verdicts[:2] == [
        ("preserved", "whole in this rendering"),
        ("unsupported", "not in this rendering"),
    ]


def test_a_valid_capsule_is_shown_unfolded_too(repository: Repository) -> None:
    out = CommandRun(repository.top, "inspect", "cap-1").out
    assert out.startswith("cap-1: ✓ valid\n")
    assert "same content as at base_commit" in out
