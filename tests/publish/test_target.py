"""Targets: what names a place at each provider, and its one spelling."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.publish.capability import ProviderName
from ophiuchus.publish.target import TARGET_FORMS, NotATarget, parse_target

TEAM = "0a1B2c3d-0000-4aaa-8bbb-0123456789AB"


@pytest.mark.parametrize(
    ("provider", "text", "canonical"),
    [
        ("github", "Acme/Web.App", "acme/web.app"),
        ("github", "acme/.github", "acme/.github"),
        ("jira", "oph", "OPH"),
        ("jira", "OPH_2", "OPH_2"),
        ("clickup", "901234567890", "901234567890"),
        ("slack", "C0123ABCD", "C0123ABCD"),
        ("slack", "G0123ABCD", "G0123ABCD"),
        ("teams", f"{TEAM}/19:Ab_-9@thread.tacv2", f"{TEAM.lower()}/19:Ab_-9@thread.tacv2"),
        ("teams", f"{TEAM}/19:ab@thread.skype", f"{TEAM.lower()}/19:ab@thread.skype"),
    ],
)
def test_a_target_has_one_spelling(provider: str, text: str, canonical: str) -> None:
    name = ProviderName(provider)
    assert parse_target(name, text) == canonical
    assert parse_target(name, canonical) == canonical


@pytest.mark.parametrize(
    ("provider", "text"),
    [
        ("github", ""),
        ("github", "acme"),
        ("github", "acme/web/issues"),
        ("github", "https://github.com/acme/web"),
        ("github", "acme/web.git"),
        ("github", "acme/.."),
        ("github", "acme/web\n"),
        ("jira", "OPH-12"),
        ("jira", "1OPH"),
        ("jira", "OPH/../X"),
        ("jira", "ÖPH"),
        ("clickup", "0"),
        ("clickup", "012"),
        ("clickup", "12a"),
        ("clickup", "\uff11\uff12"),
        ("clickup", "1" * 20),
        ("slack", "#general"),
        ("slack", "c0123abcd"),
        ("slack", "U0123ABCD"),
        ("slack", "D0123ABCD"),
        ("teams", TEAM),
        ("teams", f"{TEAM}/19%3Aab%40thread.tacv2"),
        ("teams", f"{TEAM}/19:ab@thread.v2"),
        ("teams", f"{TEAM}/19:a/b@thread.tacv2"),
        ("teams", f"{TEAM[:-1]}/19:ab@thread.tacv2"),
    ],
)
def test_what_names_no_place_is_refused_and_not_repeated(provider: str, text: str) -> None:
    with pytest.raises(NotATarget) as refusal:
        parse_target(ProviderName(provider), text)
    assert refusal.value.remedy == f"write {TARGET_FORMS[ProviderName(provider)]}"
    assert len(text) < 8 or text not in refusal.value.message + refusal.value.remedy


@given(st.sampled_from(ProviderName), st.text(max_size=40))
def test_no_target_leads_anywhere_else(provider: ProviderName, text: str) -> None:
    with suppress(NotATarget):
        target = parse_target(provider, text)
        assert re.fullmatch(r"[A-Za-z0-9._:@/-]+", target)
        assert ".." not in target.split("/")
        assert parse_target(provider, target) == target
