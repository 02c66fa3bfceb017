"""Where the services are, and what links are made of."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.publish.capability import ProviderName
from ophiuchus.publish.links import link_to
from ophiuchus.publish.origins import (
    API_VARIABLES,
    SITE_VARIABLES,
    Origin,
    OriginMissing,
    RefusedOrigin,
    read_origin,
)
from ophiuchus.publish.reference import Reference
from ophiuchus.views.document import Link

GITHUB, JIRA = ProviderName.GITHUB, ProviderName.JIRA
CLICKUP, SLACK, TEAMS = ProviderName.CLICKUP, ProviderName.SLACK, ProviderName.TEAMS
VARIABLES = [*API_VARIABLES.values(), *SITE_VARIABLES.values(), "GITHUB_API_URL", "GITHUB_SERVER_URL"]


@pytest.mark.parametrize(
    ("provider", "env", "api", "site"),
    [
        (GITHUB, {}, "https://api.github.com", "https://github.com"),
        (GITHUB, {"OPHIUCHUS_GITHUB_API_URL": " "}, "https://api.github.com", "https://github.com"),
        (
            GITHUB,
            {"GITHUB_API_URL": "https://g.example/api/v3", "GITHUB_SERVER_URL": "https://G.example/"},
            "https://g.example/api/v3",
            "https://g.example",
        ),
        (
            GITHUB,
            {"GITHUB_API_URL": "http://127.0.0.1:9", "GITHUB_SERVER_URL": "http://127.0.0.1:8"},
            "http://127.0.0.1:9",
            "http://127.0.0.1:8",
        ),
        (
            GITHUB,
            {
                "OPHIUCHUS_GITHUB_API_URL": "https://api.acme.ghe.com",
                "GITHUB_API_URL": "https://g.example/api/v3",
                "GITHUB_SERVER_URL": "https://g.example",
            },
            "https://api.acme.ghe.com",
            "https://acme.ghe.com",
        ),
        (
            GITHUB,
            {"OPHIUCHUS_GITHUB_API_URL": "https://g.example/api/v3"},
            "https://g.example/api/v3",
            "https://g.example",
        ),
        (GITHUB, {"OPHIUCHUS_GITHUB_API_URL": "https://proxy.example"}, "https://proxy.example", None),
        (
            JIRA,
            {"OPHIUCHUS_JIRA_BASE_URL": "https://Acme.atlassian.net/"},
            "https://acme.atlassian.net",
            "https://acme.atlassian.net",
        ),
        (
            JIRA,
            {"OPHIUCHUS_JIRA_BASE_URL": "https://api.atlassian.com/ex/jira/0a-b"},
            "https://api.atlassian.com/ex/jira/0a-b",
            None,
        ),
        (
            JIRA,
            {
                "OPHIUCHUS_JIRA_BASE_URL": "https://api.atlassian.com/ex/jira/0a-b",
                "OPHIUCHUS_JIRA_SITE_URL": "https://acme.atlassian.net",
            },
            "https://api.atlassian.com/ex/jira/0a-b",
            "https://acme.atlassian.net",
        ),
        (CLICKUP, {}, "https://api.clickup.com/api/v2", "https://app.clickup.com"),
        (CLICKUP, {"OPHIUCHUS_CLICKUP_API_URL": "http://[::1]:9/v2"}, "http://[::1]:9/v2", None),
        (
            CLICKUP,
            {"OPHIUCHUS_CLICKUP_API_URL": "https://x.example/api/v3"},
            "https://x.example/api/v3",
            None,
        ),
        (SLACK, {"OPHIUCHUS_SLACK_API_URL": "https://api.a.ghe.com"}, "https://api.a.ghe.com", None),
        (SLACK, {}, "https://slack.com/api", None),
        (
            SLACK,
            {"OPHIUCHUS_SLACK_SITE_URL": "https://acme.slack.com"},
            "https://slack.com/api",
            "https://acme.slack.com",
        ),
        (TEAMS, {}, "https://graph.microsoft.com/v1.0", "https://teams.microsoft.com"),
        (
            TEAMS,
            {"OPHIUCHUS_TEAMS_API_URL": "https://graph.example/v1.0"},
            "https://graph.example/v1.0",
            None,
        ),
    ],
)
def test_the_environment_says_where_a_service_is(
    provider: ProviderName, env: dict[str, str], api: str, site: str | None
) -> None:
    assert read_origin(provider, env) == Origin(api, site)


def test_nobody_guesses_where_jira_is() -> None:
    with pytest.raises(OriginMissing) as missing:
        read_origin(JIRA, {"OPHIUCHUS_JIRA_SITE_URL": "https://acme.atlassian.net"})
    assert "OPHIUCHUS_JIRA_BASE_URL" in missing.value.message


@pytest.mark.parametrize("variable", VARIABLES)
@pytest.mark.parametrize(
    "address",
    ["http://api.example", "https://me:word@api.example", "https://api.example?a=1", "api.example"],
)
def test_c106_only_https_or_loopback_gets_a_credential(variable: str, address: str) -> None:
    """The variable is named, its value is not: it may hold a password."""
    loopback = dict.fromkeys(VARIABLES, "http://127.0.0.1:9")
    if variable.startswith("GITHUB_"):
        del loopback["OPHIUCHUS_GITHUB_API_URL"]
    refused = []
    for provider in ProviderName:
        try:
            read_origin(provider, {**loopback, variable: address})
        except RefusedOrigin as refusal:
            refused.append(f"{refusal.message} {refusal.remedy}")
    (told,) = refused
    assert variable in told
    assert address not in told


@given(st.sampled_from(ProviderName), st.dictionaries(st.sampled_from(VARIABLES), st.text(max_size=30)))
def test_whatever_the_environment_holds_the_address_is_https_or_loopback(
    provider: ProviderName, env: dict[str, str]
) -> None:
    with suppress(OriginMissing, RefusedOrigin):
        origin = read_origin(provider, env)
        for address in (origin.api, origin.site or "https://x"):
            assert address.startswith(("https://", "http://127.", "http://[::1]"))


SITE = "https://site.example"
TEAM = "0a1b2c3d-0000-4aaa-8bbb-0123456789ab"


@pytest.mark.parametrize(
    ("provider", "target", "artifact", "part", "link"),
    [
        (GITHUB, "acme/web", "7", None, "/acme/web/issues/7"),
        (GITHUB, "acme/web", "7", "99", "/acme/web/issues/7#issuecomment-99"),
        (JIRA, "OPH", "OPH-7", None, "/browse/OPH-7"),
        (JIRA, "OPH", "OPH-7", "10", "/browse/OPH-7?focusedCommentId=10"),
        (CLICKUP, "9", "86abc", None, "/t/86abc"),
        (CLICKUP, "9", "86abc", "42", "/t/86abc?comment=42"),
        (SLACK, "C1", "1700.0001", None, "/archives/C1/p17000001"),
        (SLACK, "C1", "1700.0001", "1800.0002", "/archives/C1/p18000002?thread_ts=1700.0001"),
        (TEAMS, f"{TEAM}/19:a@thread.tacv2", "1", None, f"/l/message/19%3Aa%40thread.tacv2/1?groupId={TEAM}"),
        (TEAMS, f"{TEAM}/19:a@thread.tacv2", "1", "2", f"/l/message/19%3Aa%40thread.tacv2/1?groupId={TEAM}"),
    ],
)
def test_a_link_is_made_of_site_target_and_id(
    provider: ProviderName, target: str, artifact: str, part: str | None, link: str
) -> None:
    made = link_to(provider, SITE, target, Reference(artifact, part))
    assert made == SITE + link
    assert Link("it", made).target == made
    assert link_to(provider, None, target, Reference(artifact, part)) is None
