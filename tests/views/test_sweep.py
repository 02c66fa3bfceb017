"""The sweep's view: worst first, grouped, bounded, and nothing of data live in it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from built_ledgers import blocking, critic
from built_reports import capsule, condition, report
from gfm_readings import meant, read_with_markdown_it
from hostile_documents import NASTY
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.assess.continuity import Continuity, ContinuityStatus
from ophiuchus.assess.verdicts import Aggregate, Verdict
from ophiuchus.git.log_walk import LoggedCommit
from ophiuchus.report.ledgers import Ledgers
from ophiuchus.report.merge import NamedReport, merge
from ophiuchus.report.model import CapsuleReport, GateRule, Report, Since, SinceWhat
from ophiuchus.text.problem import Notice, NoticeCode, Problem, ProblemCode
from ophiuchus.views.document import Code, Details, Document, Graph, Heading, Link, Part, Table, Text
from ophiuchus.views.lineage import EDGES_DRAWN, lineage
from ophiuchus.views.render.gfm import render_gfm
from ophiuchus.views.render.plain import render_plain
from ophiuchus.views.sweep import compose_sweep


def stale(name: str, **fields: Any) -> CapsuleReport:
    return capsule(name, Aggregate.STALE, condition(Verdict.STALE), **fields)


def valid(name: str, **fields: Any) -> CapsuleReport:
    return capsule(name, Aggregate.VALID, condition(Verdict.VALID), **fields)


def continuing(parent: str, status: ContinuityStatus = ContinuityStatus.COMPARED) -> Continuity:
    return Continuity(status, parent, 1)


def joined(*reports: Report) -> Report:
    return merge([NamedReport(f"{number}.json", one) for number, one in enumerate(reports)])


def headings(document: Document) -> list[str]:
    return [
        "".join(node.value for node in block.line if isinstance(node, Text))
        for block in document.blocks
        if isinstance(block, Heading)
    ]


def part(document: Document, name: str) -> Part | None:
    return next((one for one in document.parts if one.name == name), None)


def table(document: Document, name: str) -> Table:
    found = part(document, name)
    assert found
    return next(block for block in found.blocks if isinstance(block, Table))


BAD = Problem("bad.json", 1, 2, ProblemCode.NOT_JSON, "is not JSON")


@pytest.mark.parametrize(
    ("found", "lead"),
    [
        (report(), "Nothing to do: there are no capsules yet"),
        (report(shard="2/3"), "Nothing to do: there are no capsules in shard 2/3"),
        (report(valid("a")), "Nothing to do: none of 1 capsule needs action"),
        (report(stale("a"), valid("b")), "Action required: 1 of 2 capsules needs action"),
        (report(stale("a"), shard="2/3"), "Action required: 1 of 1 capsule of shard 2/3 needs action"),
        (report(problems=[BAD, BAD]), "Action required: 1 file has a problem"),
        (
            joined(
                report(stale("a"), repository="o/r"), report(stale("a"), repository="o/s", problems=[BAD])
            ),
            "Action required: 2 of 2 capsules of 2 repositories need action, 1 file has a problem",
        ),
    ],
)
def test_it_leads_with_what_is_to_be_done(found: Report, lead: str) -> None:
    assert headings(compose_sweep(found))[0] == lead


def test_groups_stand_worst_first() -> None:
    partly = capsule("b", Aggregate.PARTIALLY_STALE, condition(Verdict.PARTIALLY_STALE))
    unknown = capsule(
        "c", Aggregate.UNVERIFIABLE, condition(Verdict.UNVERIFIABLE, remedy="x"), needs_action=True
    )
    document = compose_sweep(report(stale("a"), stale("d"), partly, unknown, valid("e")))
    assert headings(document)[1:] == ["Stale (2)", "Partially stale (1)", "Unverifiable (1)"]
    assert part(document, "capsules that need no action")


def test_what_the_gate_names_is_told_though_it_needs_no_action() -> None:
    one = capsule("a", Aggregate.NOT_DECLARED)
    document = compose_sweep(report(one, failed={one: GateRule.NOT_DECLARED}))
    assert headings(document)[1:] == ["Not declared (1)"]
    assert "This check fails" in render_plain(document)


def test_what_is_valid_and_needs_action_all_the_same_says_why() -> None:
    expired = capsule("old", Aggregate.VALID, expired=True, needs_action=True)
    assert headings(compose_sweep(report(expired)))[1:] == ["Valid, but expired (1)"]
    named = capsule("named", Aggregate.VALID)
    found = report(expired, named, failed={named: GateRule.REVALIDATION_REQUIRED})
    assert headings(compose_sweep(found))[1:] == ["Valid (2)"]


def test_what_to_do_about_stale_capsules_is_said_once_behind_them() -> None:
    said = render_plain(compose_sweep(report(stale("a"), stale("b"), valid("c"))))
    assert said.count("To do: read what is stale against what changed") == 1
    assert "To do" not in render_plain(compose_sweep(report(valid("c"))))


def test_since_when_is_told() -> None:
    one = stale("a", stale_since=Since("2026-07-01T12:00:00Z", SinceWhat.CHANGE))
    assert "2026-07-01" in render_plain(compose_sweep(report(one)))


def test_a_table_is_bounded_and_says_so() -> None:
    found = table(compose_sweep(report(*(stale(f"c-{number}") for number in range(250)))), "stale capsules")
    assert (len(found.rows), found.more) == (200, 50)


def test_repositories_stand_with_the_most_to_do_first() -> None:
    found = joined(
        report(valid("a"), repository="o/a"),
        report(stale("a"), repository="o/b"),
        report(repository="o/c", problems=[BAD]),
    )
    rows = table(compose_sweep(found), "repositories").rows
    assert [row[0] for row in rows] == [(Text("o/b"),), (Text("o/c"),), (Text("o/a"),)]
    assert "each of a commit" in render_plain(compose_sweep(found))


HERE = "https://github.example/o/here"
COMMIT = LoggedCommit("d" * 40, "said", None)


def test_each_capsule_of_several_repositories_is_told_with_its_own() -> None:
    """One id in two repositories is told apart, and a commit is a link only where it is the run's own."""
    drifted = condition(Verdict.STALE, changed_by=(COMMIT,))
    one = capsule("a", Aggregate.STALE, drifted)
    notice = Notice("x.json", NoticeCode.NOT_A_CAPSULE, "said")
    found = joined(
        report(one, valid("b"), repository="o/here", notices=[notice]),
        report(one, valid("b"), repository="o/there", notices=[notice]),
    )
    document = compose_sweep(found, repository_url=HERE)
    said = render_plain(document)
    for whose in ("o/here", "o/there"):
        assert f"a of {whose}: ✗ stale" in said
        assert f"b of {whose} " in said
        assert f"{whose}:x.json: said" in said
    first, second = table(document, "stale capsules").rows
    assert Link("d" * 10, f"{HERE}/commit/{'d' * 40}", is_name=True) in first[-1]
    assert Code("d" * 10) in second[-1]
    assert said.count("/commit/") == 2


def test_shards_of_one_commit_are_one_repository() -> None:
    document = compose_sweep(joined(report(valid("a"), shard="1/2"), report(stale("b"), shard="2/2")))
    assert headings(document)[0] == "Action required: 1 of 2 capsules needs action"
    assert part(document, "repositories") is None
    assert table(document, "stale capsules").head[2] == "Since"
    assert "Judged: commit" in render_plain(document)


def test_of_the_critics_findings_those_that_are_not_told_are_counted() -> None:
    ledgers = Ledgers(critic(blocking(), open_blocking_count=130))
    found = table(compose_sweep(replace(report(), ledgers=ledgers)), "what the critics found")
    assert (len(found.rows), found.more) == (1, 129)


def test_what_was_left_out_is_told_in_the_headline() -> None:
    notice = Notice("", NoticeCode.TRUNCATED, "3 of 8 capsules were not judged")
    head = part(compose_sweep(report(valid("a"), notices=[notice])), "the headline")
    assert head
    assert "3 of 8 capsules were not judged" in render_plain(Document((head,)))
    assert part(compose_sweep(report(valid("a"), notices=[notice])), "notices") is None


# The lineage.


def graph(*capsules: CapsuleReport) -> Graph | None:
    for found in lineage(capsules):
        (folded,) = found.blocks
        assert isinstance(folded, Details)
        return next(block for block in folded.blocks if isinstance(block, Graph))
    return None


def edges(drawn: Graph | None) -> list[tuple[str, str]]:
    assert drawn
    return [(drawn.nodes[parent].capsule_id, drawn.nodes[child].capsule_id) for parent, child in drawn.edges]


def test_nothing_is_drawn_where_nobody_continues_anybody() -> None:
    assert graph(stale("a"), valid("b", continuity=continuing("b", ContinuityStatus.CYCLE))) is None


def test_each_capsule_is_one_node_whatever_its_case() -> None:
    drawn = graph(valid("a"), valid("b", continuity=continuing("A")), stale("c", continuity=continuing("a")))
    assert drawn
    assert [node.capsule_id.lower() for node in drawn.nodes] == ["a", "c", "b"]
    assert [node.marked for node in drawn.nodes] == [False, True, False]
    assert len(drawn.edges) == 2


def test_one_id_in_two_repositories_is_two_nodes() -> None:
    two = [valid("b", continuity=continuing("a"), repository=name) for name in ("o/r", "o/s")]
    drawn = graph(*two)
    assert drawn
    assert len(drawn.nodes) == 4


def test_lines_of_what_needs_action_come_first_and_the_rest_is_counted() -> None:
    many = [valid(f"c-{number}", continuity=continuing("root")) for number in range(EDGES_DRAWN + 20)]
    drawn = graph(*many, stale("z", continuity=continuing("y")))
    assert drawn
    assert edges(drawn)[0] == ("y", "z")
    assert (len(drawn.edges), drawn.more) == (EDGES_DRAWN, 21)


def test_the_longest_ids_are_drawn_as_far_as_mermaid_draws() -> None:
    """It draws nothing of a text over 50,000 characters."""
    longest = [f"{number:03}" + "_" * 125 for number in range(2 * EDGES_DRAWN)]
    pairs = zip(longest[::2], longest[1::2], strict=True)
    (found,) = lineage([valid(one, continuity=continuing(other)) for one, other in pairs])
    written = render_gfm(Document((found,)))
    drawn = written.partition("```mermaid\n")[2].partition("```")[0]
    assert 30_000 < len(drawn) < 50_000
    assert "more." in written


def test_what_is_no_id_is_not_drawn() -> None:
    bad = valid("b", continuity=continuing('x"] click n0 "https://x.y'))
    assert graph(bad) is None
    assert edges(graph(bad, valid("c", continuity=continuing("a")))) == [("a", "c")]


@given(st.lists(st.sampled_from(NASTY), min_size=1, max_size=4).map("".join))
def test_no_text_of_data_is_live(text: str) -> None:
    one = capsule(
        "a",
        Aggregate.STALE,
        condition(Verdict.STALE, reason=text, condition_id=text, kind=text, remedy=text),
        title=text,
        path=text,
        continuity=continuing(text),
        stale_since=Since(text, SinceWhat.CHANGE),
    )
    problem = Problem(text, 1, 1, ProblemCode.NOT_JSON, text)
    document = compose_sweep(
        joined(
            report(
                one, problems=[problem], notices=[Notice(text, NoticeCode.TRUNCATED, text)], repository="o/r"
            ),
            report(repository="o/s"),
        )
    )
    found = read_with_markdown_it(render_gfm(document))
    assert found.live == []
    assert found == meant(document.blocks)
