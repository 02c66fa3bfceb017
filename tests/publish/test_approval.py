"""What an approval and the list of allowed targets may say."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.publish.approval import (
    UnusableAllowance,
    UnusableApproval,
    parse_allowed_targets,
    parse_approval,
)
from ophiuchus.publish.capability import ProviderName
from ophiuchus.publish.target import parse_target

DIGEST = "0a" * 32
TEAM = "0a1b2c3d-0000-4aaa-8bbb-0123456789ab/19:x@thread.tacv2"


@pytest.mark.parametrize(("text", "approval"), [("none", None), (DIGEST, DIGEST), (DIGEST.upper(), DIGEST)])
def test_an_approval_is_a_digest_or_none(text: str, approval: str | None) -> None:
    assert parse_approval(text) == approval


@pytest.mark.parametrize(
    "text",
    ["", " ", "None", "yes", "true", DIGEST[:-1], DIGEST + "0", "0g" * 32, f" {DIGEST}", "\u0660" * 64],
)
def test_a_blank_or_other_approval_is_refused(text: str) -> None:
    """Blank is what an output gives that somebody forgot to set: it must not pass for `none`."""
    with pytest.raises(UnusableApproval):
        parse_approval(text)


def test_allowed_targets_are_read_in_their_one_spelling() -> None:
    assert parse_allowed_targets(f" github:Acme/Web ,\njira:oph,teams:{TEAM},") == {
        (ProviderName.GITHUB, "acme/web"),
        (ProviderName.JIRA, "OPH"),
        (ProviderName.TEAMS, TEAM),
    }
    assert parse_allowed_targets("") == frozenset()


@pytest.mark.parametrize("entry", ["trello:x", "github", "github:", "*", "github:*", "slack:#general"])
def test_an_entry_that_names_no_target_is_told_by_its_number(entry: str) -> None:
    with pytest.raises(UnusableAllowance) as refusal:
        parse_allowed_targets(f"jira:OPH, {entry}")
    assert refusal.value.message.startswith("entry 2 of OPHIUCHUS_ALLOWED_TARGETS ")


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(UnusableApproval):
        assert parse_approval(text) in (None, text.lower())
    with suppress(UnusableAllowance):
        for provider, target in parse_allowed_targets(text):
            assert parse_target(provider, target) == target
