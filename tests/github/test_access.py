from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ophiuchus.github.access import Access, NoAccess, read_access

ENV = {
    "GITHUB_API_URL": "https://api.github.example",
    "GITHUB_GRAPHQL_URL": "https://api.github.example/graphql",
    "GITHUB_SERVER_URL": "https://github.example",
    "GITHUB_REPOSITORY": "owner/name",
}


@pytest.mark.parametrize(
    ("api", "graphql", "server"),
    [
        ("https://api.github.example", "https://api.github.example/graphql", "https://github.example"),
        (
            "https://ghes.example/api/v3",
            "https://ghes.example/api/graphql",
            "https://ghes.example",
        ),
        ("https://ghes.example:8443/api/v3", "https://ghes.example:8443/api/graphql", "https://ghes.example"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/graphql", "http://127.0.0.1:8080"),
        ("http://[::1]:8080", "http://[::1]:8080/graphql", "http://[::1]:8080"),
    ],
)
def test_the_addresses_of_cloud_enterprise_and_loopback_are_taken_as_they_are(
    api: str, graphql: str, server: str
) -> None:
    env = {
        "GITHUB_API_URL": api,
        "GITHUB_GRAPHQL_URL": graphql,
        "GITHUB_SERVER_URL": server,
        "GITHUB_REPOSITORY": "owner/name",
    }
    assert read_access(env, "t") == Access(api, graphql, server, "owner/name", "t")


def test_slashes_at_the_end_case_of_the_host_and_default_ports_do_not_matter() -> None:
    env = ENV | {
        "GITHUB_API_URL": "https://API.github.example:443//",
        "GITHUB_SERVER_URL": "https://GitHub.example/",
    }
    access = read_access(env, "t")
    assert access.api_url == "https://api.github.example"
    assert access.server_url == "https://github.example"


@pytest.mark.parametrize("name", ["GITHUB_API_URL", "GITHUB_GRAPHQL_URL", "GITHUB_SERVER_URL"])
@pytest.mark.parametrize(
    "url",
    [
        "",
        "api.github.example",
        "http://api.github.example",
        "http://localhost:8080",
        "http://127.0.0.1.evil.example",
        "http://127.0.0.1@evil.example",
        "http://128.0.0.1",
        "https://user@api.github.example",
        "https://user:word@api.github.example",
        "https://api.github.example?x=1",
        "https://api.github.example/?x=1",
        "https://api.github.example#x",
        "https://api.github.example/a b",
        "https://api.github.example\n",
        "https://api.github.example\\@evil.example",
        "https://api.github.example:99999999",
        "https://",
        "https://-x.example",
        "ftp://api.github.example",
        "HTTPS://api.github.example",
        " https://api.github.example",
    ],
)
def test_other_urls_are_refused_and_not_repeated(name: str, url: str) -> None:
    with pytest.raises(NoAccess) as refusal:
        read_access(ENV | {name: url}, "t")
    assert name in str(refusal.value)
    assert not url or url not in str(refusal.value)


@pytest.mark.parametrize("name", ["GITHUB_API_URL", "GITHUB_GRAPHQL_URL", "GITHUB_SERVER_URL"])
def test_nothing_is_taken_for_a_missing_address(name: str) -> None:
    for env in ({key: value for key, value in ENV.items() if key != name}, {**ENV, name: ""}):
        with pytest.raises(NoAccess, match=f"{name} is not set"):
            read_access(env, "t")


@pytest.mark.parametrize(
    "url",
    ["https://other.example/graphql", "https://api.github.example:8443/graphql", "http://127.0.0.1/graphql"],
)
def test_the_token_goes_to_one_origin_only(url: str) -> None:
    with pytest.raises(NoAccess, match="another origin"):
        read_access(ENV | {"GITHUB_GRAPHQL_URL": url}, "t")


@pytest.mark.parametrize(
    "repository",
    ["", "name", "a/b/c", "../name", "owner/..", "owner/.", "owner/na me", "o/n?x", "o/n\n", "/n"],
)
def test_a_repository_is_one_owner_and_one_name(repository: str) -> None:
    with pytest.raises(NoAccess, match="OWNER/NAME"):
        read_access(ENV | {"GITHUB_REPOSITORY": repository}, "t")


def test_blanks_around_a_token_are_dropped() -> None:
    assert read_access(ENV, " secret\n").token == "secret"


@pytest.mark.parametrize("token", ["", " \n", "a b", "a\nb", "ä", "a\x00", "x" * 1001])
def test_what_cannot_be_a_token_is_refused_and_not_repeated(token: str) -> None:
    with pytest.raises(NoAccess, match="token") as refusal:
        read_access(ENV, token)
    assert not token.strip() or token not in str(refusal.value)


def test_the_token_does_not_print() -> None:
    assert "secret" not in repr(read_access(ENV, "secret"))


@example("https://a.example/x")
@given(st.one_of(st.text(max_size=60), st.from_regex(r"\A(?:https?:)?//[^\n]{1,40}", fullmatch=True)))
def test_an_accepted_url_is_https_or_loopback_and_nothing_but_host_port_and_path(url: str) -> None:
    try:
        access = read_access(
            ENV | {"GITHUB_API_URL": url, "GITHUB_GRAPHQL_URL": url, "GITHUB_SERVER_URL": url}, "t"
        )
    except NoAccess:
        return
    pattern = r"(?:https://[a-z0-9.-]+|https?://\[[0-9a-f:.]+\]|http://127[0-9.]+)(?::[0-9]+)?(?:/[A-Za-z0-9._~/-]*)?"
    assert re.fullmatch(pattern, access.api_url)
    assert access.api_url == access.graphql_url == access.server_url
