"""The Slack messages we send, read by a parser of Slack's markup that we did not write."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hostile_documents import documents
from hypothesis import HealthCheck, given, settings
from slack_reading import NO_NODE, SlackJudge, judge_is_installed, meant_for_slack

from ophiuchus.views.document import Code, Document, Link, Paragraph, Part, Quote, Strong, Table, Text
from ophiuchus.views.render.slack import render_slack

pytestmark = pytest.mark.node


@pytest.fixture(scope="module")
def slack() -> Iterator[SlackJudge]:
    if not judge_is_installed():
        pytest.skip(NO_NODE)
    with SlackJudge() as started:
        yield started


def test_the_judge_sees_what_is_live(slack: SlackJudge) -> None:
    found = slack.read(
        "<!here> <!channel> <!everyone> <@U1> <#C1|x> <!subteam^S1|y> <!date^1^{date}|z> https://x.y ~s~ _i_ "
        ":x: <https://a.b|c>"
    )
    assert [kind for kind, _ in found.live] == [
        "slackAtHere", "slackAtChannel", "slackAtEveryone", "slackUser", "slackChannel", "slackUserGroup",
        "slackDate", "url", "strike", "em", "emoji",
    ]  # fmt: skip
    assert found.links == [["c", "https://a.b"]]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "<!channel> <!here> <!everyone> <!group> <!subteam^S0000000|x> <@U0000000> <#C0000000|general> "
            "@here @channel",
            id="C005",
        ),
        pytest.param("rename created_at -> updated_at | see <docs> & more", id="C055"),
        pytest.param("&lt;!here&gt; and &amp;lt;!channel&amp;gt; and &#60;!everyone&#62;", id="C104"),
        "*APPROVED* _x_ ~y~ https://x.y :tada:",
    ],
)
def test_nothing_of_a_case_is_live(slack: SlackJudge, text: str) -> None:
    """C005, C055, C104."""
    line = (Text(text), Strong(text), Code(text), Link(text, "https://a.example/1"))
    blocks = (Paragraph(line), Quote(text), Table((text,), ((line,),)))
    found, meant = slack.read(render_slack(Document((Part("all", 0, blocks),))).text), meant_for_slack(blocks)
    assert not found.live
    assert (found.words, found.links) == (meant.words, meant.links)


@given(documents)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
def test_the_judge_finds_nothing_live(slack: SlackJudge, document: Document) -> None:
    sent = render_slack(document)
    for text in [sent.text, *(block["text"]["text"] for block in sent.blocks)]:
        assert not slack.read(text).live
    assert slack.read(sent.text).links == meant_for_slack(document.blocks).links
