"""A graph: ids alone, drawn where the surface draws, a list of the same everywhere else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from gfm_readings import Judge, meant, read_with_markdown_it
from hostile_documents import graphs
from hypothesis import HealthCheck, given, settings

from ophiuchus.views.document import Block, Bullets, Code, Details, Document, Graph, Node, NotAnId, Part, Text
from ophiuchus.views.render.adf import render_adf
from ophiuchus.views.render.clickup import render_clickup
from ophiuchus.views.render.gfm import render_gfm
from ophiuchus.views.render.plain import render_plain
from ophiuchus.views.render.slack import render_slack
from ophiuchus.views.render.teams import render_teams
from ophiuchus.views.render.wiki import render_wiki

RENDERERS: list[Callable[[Document], object]] = [
    render_adf, render_clickup, render_plain, render_slack, render_teams, render_wiki,
]  # fmt: skip


def document(*blocks: Block) -> Document:
    return Document((Part("the lineage", 0, blocks),))


@pytest.mark.parametrize("capsule_id", ["", "-a", "a b", 'a"]', "a\n", "a;b", "\xe9", "a" * 129, "<b>", "a`"])
def test_a_graph_holds_nothing_but_ids(capsule_id: str) -> None:
    with pytest.raises(NotAnId):
        Node(capsule_id)


def test_a_graph_in_words() -> None:
    graph = Graph((Node("old"), Node("new", marked=True)), ((0, 1),), more=1_200)
    assert graph.in_words() == Bullets(
        ((Code("new"), Text(" continues "), Code("old")), (Text("and 1,200 more"),))
    )


def test_a_graph_is_drawn_on_github() -> None:
    graph = Graph((Node("old"), Node("new_er", marked=True)), ((0, 1),), more=3)
    assert render_gfm(document(graph)).removesuffix("\n") == (
        "```mermaid\n"
        "flowchart LR\n"
        '  n0["old"]\n'
        '  n1["new#95;er"]\n'
        "  n0 --> n1\n"
        "  classDef marked stroke-width:3px,stroke-dasharray:6 3\n"
        "  class n1 marked\n"
        "```\n\n"
        "… and 3 more."
    )


@pytest.mark.parametrize("render", RENDERERS, ids=lambda render: render.__name__)
def test_what_draws_nothing_tells_a_graph_in_words(render: Callable[[Document], object]) -> None:
    graph = Graph((Node("old"), Node("new")), ((0, 1),), more=2)
    folded = Details((Text("more"),), (graph,))
    assert render(document(graph, folded)) == render(
        document(graph.in_words(), Details((Text("more"),), (graph.in_words(),)))
    )


@given(graphs())
def test_a_reader_finds_a_drawing_and_nothing_live(graph: Graph) -> None:
    assert read_with_markdown_it(render_gfm(document(graph))) == meant([graph])


@pytest.mark.node
@given(graphs())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
def test_the_judge_finds_a_drawing_and_nothing_live(judge: Judge, graph: Graph) -> None:
    assert judge.read(render_gfm(document(graph))) == meant([graph])
