from __future__ import annotations

import pytest

from ophiuchus.publish.capability import ProviderName
from ophiuchus.publish.reference import NotAReference, Reference, parse_reference

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
