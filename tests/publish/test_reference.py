from __future__ import annotations

import re

import pytest

from ophiuchus.publish.capability import ProviderName
from ophiuchus.publish.reference import ARTIFACT_FORMS, NotAReference, Reference, is_under, parse_reference

GITHUB, JIRA, CLICKUP, SLACK, TEAMS = ProviderName


@pytest.mark.parametrize(
    ("provider", "text", "artifact", "part"),
    [
        (GITHUB, "7", "7", None),
        (GITHUB, "7/99", "7", "99"),
        (JIRA, "OPH-7", "OPH-7", None),
        (JIRA, "A1_B-7/10001", "A1_B-7", "10001"),
        (CLICKUP, "86abc", "86abc", None),
        (CLICKUP, "86abc/458", "86abc", "458"),
        (SLACK, "1700000000.000100", "1700000000.000100", None),
        (SLACK, "1700000000.000100/1700000009.000200", "1700000000.000100", "1700000009.000200"),
        (TEAMS, "1616990032035/1616990171266", "1616990032035", "1616990171266"),
    ],
)
def test_an_id_is_read_and_written_alike(
    provider: ProviderName, text: str, artifact: str, part: str | None
) -> None:
    reference = parse_reference(provider, text)
    assert reference == Reference(artifact, part)
    assert str(reference) == text
    assert reference.whole == Reference(artifact)


@pytest.mark.parametrize("provider", ProviderName)
@pytest.mark.parametrize(
    "text",
    [
        "",
        "/",
        "7/",
        "/7",
        "7/8/9",
        "7 8",
        "-1",
        "\u0667",
        "7\n",
        " 7",
        "../7",
        "https://x.test/7",
        7,
        None,
        True,
        ["7"],
    ],
)
def test_nothing_else_is_an_id(provider: ProviderName, text: object) -> None:
    with pytest.raises(NotAReference) as refusal:
        parse_reference(provider, text)
    assert not str(text) or str(text) not in str(refusal.value)


def test_only_an_id_that_holds_its_place_can_be_elsewhere() -> None:
    assert is_under(JIRA, "OPH", Reference("OPH-7", "1"))
    for other in ("OPHX-7", "OP-7", "oph-7"):
        assert not is_under(JIRA, "OPH", Reference(other))
    assert all(is_under(one, "x", Reference("7")) for one in ProviderName if one is not JIRA)


def test_every_provider_s_form_is_told_with_an_example_that_is_one() -> None:
    for provider, told in ARTIFACT_FORMS.items():
        if "such as " in told:
            assert parse_reference(provider, re.split("[,:] |$", told.partition("such as ")[2])[0])
    assert set(ARTIFACT_FORMS) == set(ProviderName)
