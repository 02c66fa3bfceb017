"""The table's rows: each finds its kind, none takes a placeholder for it."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable

import pytest
from tests.secrets.corpus import must_find

from ophiuchus.secrets.rules import RULES
from ophiuchus.secrets.scan import scan_text

ALNUM = "aB3xK9Qz7Lm2"
HEX = "3f9a0c7e1b5d"


def filled(alphabet: str, length: int) -> str:
    return (alphabet * (length // len(alphabet) + 1))[:length]


# Kinds that the corpus does not hold.
FURTHER = {
    "aws bedrock key": "ABSK" + filled(ALNUM, 128),
    "azure client secret": "Ab1" + "8Q~" + filled(ALNUM, 34),
    "bitbucket token": "ATBB" + filled(ALNUM, 32),
    "shopify token": "shpat_" + filled(HEX, 32),
    "square token": "sq0atp-" + filled(ALNUM, 22),
    "grafana token": "glsa_" + filled(ALNUM, 32) + "_3f9a0c7e",
    "sentry token": "sntryu_" + filled(HEX, 64),
    "figma token": "figd_" + filled(ALNUM, 40),
    "groq key": "gsk_" + filled(ALNUM, 52),
    "xai key": "xai-" + filled(ALNUM, 80),
    "perplexity key": "pplx-" + filled(ALNUM, 48),
    "replicate token": "r8_" + filled(ALNUM, 37),
    "supabase token": "sbp_" + filled(HEX, 40),
    "planetscale token": "pscale_tkn_" + filled(ALNUM, 43),
    "rubygems key": "rubygems_" + filled(HEX, 48),
    "crates.io token": "cio" + filled(ALNUM, 32),
    "pulumi token": "pul-" + filled(HEX, 40),
    "postman key": "PMAK-" + filled(HEX, 24) + "-" + filled(HEX, 34),
    "new relic key": "NRAK-" + filled("7Q2ZK9", 27),
    "mailgun key": "key-" + filled(HEX, 32),
    "airtable token": "pat" + filled(ALNUM, 14) + "." + filled(HEX, 64),
    "terraform token": filled(ALNUM, 14) + ".atlasv1." + filled(ALNUM, 67),
    "stripe webhook secret": "whsec_" + filled(ALNUM, 32),
    "vercel token": "vcp_" + filled(ALNUM, 56),
    "netlify token": "nfp_" + filled(ALNUM, 36),
    "fly token": "fm2_" + filled(ALNUM, 200),
    "doppler token": "dp.pt." + filled(ALNUM, 43),
    "1password token": "ops_eyJ" + filled(ALNUM, 250),
    "buildkite token": "bkua_" + filled(HEX, 40),
    "circleci token": "CCIPAT_" + filled(ALNUM, 22) + "_" + filled(HEX, 40),
    "dynatrace token": "dt0c01." + filled("7Q2ZK9", 24) + "." + filled("7Q2ZK9", 64),
    "artifactory key": "AKCp" + filled(ALNUM, 69),
    "nuget key": "oy2" + filled(HEX, 43),
    "tavily key": "tvly-dev-" + filled(ALNUM, 32),
    "langsmith key": "lsv2_pt_" + filled(HEX, 32) + "_" + filled(HEX, 10),
    "cursor key": "crsr_" + filled(HEX, 64),
    "supabase key": "sb_secret_" + filled(ALNUM, 31),
    "resend key": "re_" + filled(ALNUM, 8) + "_" + filled(ALNUM, 24),
    "posthog key": "phx_" + filled(ALNUM, 43),
}


@pytest.mark.parametrize(("name", "token"), FURTHER.items(), ids=FURTHER)
def test_a_kind_is_found_in_a_sentence(name: str, token: str) -> None:
    assert scan_text(f"It stopped working with {token}, so rotate it.") == (name,)
    assert scan_text(f'"{token}"') == (name,)


@pytest.mark.parametrize(("name", "token"), FURTHER.items(), ids=FURTHER)
def test_a_kind_is_not_found_where_its_prefix_ends_a_word(name: str, token: str) -> None:
    if name != "azure client secret":  # it has no prefix of its own
        assert name not in scan_text(f"x{token}")


def test_every_row_is_tested() -> None:
    found = {name for seed in (1, 2) for sample in must_find(seed) for name in scan_text(sample.text)}
    assert found | set(FURTHER) == {rule.name for rule in RULES}


def test_names_are_words_that_can_be_shown_anywhere() -> None:
    for rule in RULES:
        assert re.fullmatch(r"[a-z0-9]+([ .][a-z0-9]+)*", rule.name)


FORMS: dict[str, Callable[[str], str]] = {
    "github token": lambda fill: "ghp_" + fill * 36,
    "openai key": lambda fill: "sk-proj-" + fill * 40,
    "anthropic key": lambda fill: "sk-ant-api03-" + fill * 90,
    "slack token": lambda fill: "xoxb-" + fill * 40,
    "google key": lambda fill: "AIza" + fill * 35,
    "npm token": lambda fill: "npm_" + fill * 36,
}


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("fill", ["x", "X", "0", "1"])
def test_a_body_of_one_character_is_filling(name: str, fill: str) -> None:
    assert scan_text(FORMS[name](fill)) == ()


def test_a_body_with_a_long_run_of_one_character_is_filling() -> None:
    assert scan_text("ghp_" + "aB3" * 9 + "x" * 8) == ()


def test_hexadecimal_digits_are_random_however_they_fall() -> None:
    assert scan_text("api_" + "key=deadbeef20261234cafebabe00112233") == ("named secret",)
    assert scan_text("api_" + "key=deadbeefcafebabedeadbeefcafebabe") == ()


def test_a_body_that_counts_is_filling() -> None:
    assert scan_text("ghp_" + "1234567890abcdefghijklmnopqrstuvwxyz") == ()
    assert scan_text("sk-" + "abcdefghijklmnopqrstuvwxyz0123456789") == ()


def test_the_keys_of_a_providers_own_documentation_are_known() -> None:
    assert scan_text("AKIA" + "IOSFODNN7" + "EXAMPLE") == ()
    assert scan_text("AKIA" + "IOSFODNN7" + "Q2KZ4XW") == ("aws key id",)
    assert scan_text("aws_secret_access_key = wJalrXUtnFEMI/" + "K7MDENG/bPxRfiCY" + "EXAMPLEKEY") == ()


@pytest.mark.parametrize(
    ("credentials", "found"),
    [
        ("user:password", False),
        ("postgres:postgres", False),
        ("root:example", False),
        ("user:$PASSWORD", False),
        ("user:${DB_PASSWORD}", False),
        ("user:<password>", False),
        ("user:*****", False),
        ("user:xxxxxx", False),
        ("user:your-password", False),
        ("x-access-token:{token}", False),
        ("svc:correcthorse", True),
        ("svc:Xk9mQ2", True),
        ("svc:Adm1nPass", True),
        ("svc:dbPassword1", False),
        ("svc:a%20secret", False),
        ("svc:p%40ssw0rd%21", True),
        (":Xk9mQ2vL", True),
        ("svc:with@sign77", True),
        ("svc:@first77", True),
    ],
)
def test_a_url_holds_a_password_or_a_placeholder(credentials: str, found: bool) -> None:
    for scheme in ("https", "postgresql", "mongodb+srv", "amqps"):
        assert scan_text(f"{scheme}://{credentials}@db.internal/x") == (("password in url",) if found else ())


@pytest.mark.parametrize(
    "text",
    ["http://host:8080/@scope/x", "https://example.org/a:b@c", "git@github.com:org/repo.git", "ssh://git@host:22/r",
     "http://[::1]:80/a@b", "see 12:30 @home", "file:///a:b@c"],
)  # fmt: skip
def test_a_url_without_a_password_holds_none(text: str) -> None:
    assert scan_text(text) == ()


@pytest.mark.parametrize(
    ("credentials", "found"),
    [
        ("deploy:Xk9mQ2vL7pRt", True),
        ("user:password", False),
        ("same-1:same-1", False),
        ("deploy:\x01\x02Xk9mQ2vL7pRt", False),
        ("no colon here", False),
    ],
)
def test_basic_authorization_is_decoded(credentials: str, found: bool) -> None:
    value = base64.b64encode(credentials.encode()).decode()
    rules = ("basic authorization",) if found else ()
    assert scan_text(f"Authorization: Basic {value}") == rules
    assert scan_text(f'{{"auths": {{"r": {{"auth": "{value}"}}}}}}') == rules


def test_a_web_token_needs_a_header_that_names_an_algorithm() -> None:
    def part(text: str) -> str:
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    rest = part('{"sub":"12345"}') + "." + filled(ALNUM, 43)
    assert scan_text(part('{"alg":"ES256"}') + "." + rest) == ("json web token",)
    assert scan_text(part('{"alg":"HS256"}') + ".e30." + filled(ALNUM, 43)) == ("json web token",)
    assert scan_text(part('{"alg":"HS256"}') + ".e30.signature") == ()
    assert scan_text(part('{"page":12345}') + "." + rest) == ()
    assert scan_text("eyJ" + filled(ALNUM, 17) + "." + rest) == ()


@pytest.mark.parametrize("first", ["a", "+", "/", "%"])
def test_a_signature_of_azure_may_start_with_any_character_of_base64(first: str) -> None:
    assert scan_text(f"?sv=2024&sig={first}{filled(ALNUM, 43)}") == ("azure signature",)


# What providers issue has these prefixes and may be longer: cut, or made for a test, it is still told.
SHORT = {
    "github token": ("gh" + "p_", 20),
    "github token of fine grain": ("github" + "_pat_", 22),
    "aws key id": ("AK" + "IA", 16),
    "anthropic key": ("sk" + "-ant-", 20),
    "openai key": ("sk" + "-proj-", 20),
    "slack token": ("xo" + "xb-", 16),
}


@pytest.mark.parametrize(("name", "form"), SHORT.items(), ids=SHORT)
def test_a_short_token_of_a_known_prefix_is_found(name: str, form: tuple[str, int]) -> None:
    prefix, length = form
    fill = "K1L2" if prefix == "AK" + "IA" else "I9j0"
    assert scan_text(f"see {prefix}{filled(fill, length)}.") == (name.removesuffix(" of fine grain"),)


@pytest.mark.parametrize(
    "text",
    ["ghp_config_loader_v2_node_module", "github_pat_rotation_2026_runbook", "xoxb-rotation-2026-runbook",
     "sk-ant-model-name-2026-runbook", "re_ab12cd34_x", "key_0123", "oy2 is a prefix", "AKIA and ASIA2026"],
)  # fmt: skip
def test_a_name_that_starts_like_a_token_is_none(text: str) -> None:
    assert scan_text(text) == ()


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("sshpass -p {} ssh host", True),
        ("mysql -uroot -p{} app", True),
        ("mysqldump -p{}", True),
        ("redis-cli -h cache -a {}", True),
        ("docker login -u ci -p {} r.example.org", True),
        ("curl -u ci:{} r.example.org", True),
        ("curl --user=ci:{} r.example.org", True),
        ("mysql -h db -P 3306 --protocol=tcp1234", False),
        ("gh auth login -p https", False),
        ("docker login -p $TOKEN2", False),
    ],
)
def test_a_password_on_a_command_line_is_found(command: str, found: bool) -> None:
    assert bool(scan_text(command.format("Xk9mQ2vL7z"))) is found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("the staging password is Xk9mQ2vL7!z", True),
        ("the api key was 'aB3xK9aB3xK9', now rotated", True),
        ("the password  was Xk9mQ2vL7!z", True),
        ("Passwort: Xk9mQ2vL7!z", True),
        ("pw: Xk9mQ2vL7!z", True),
        ("pass" + "word: MyPass2024!", True),
        ("pass" + "word: newPassword1", False),
        ("pass" + "word: correct!horse#battery", True),
        ("pass" + "word: correct-horse!", False),
        ("log in with password 'Xk9mQ2vL7!z', not yet rotated", True),
        ("passwords: Xk9mQ2vL7!z and another", True),
        ("passwords: 12 of 340 were reset", False),
        ("the token `AbstractTokenProvider2Factory` is a class", False),
        ("- name: DB_PASSWORD\n  value: Xk9mQ2vL7z", True),
        ("the password is required1", False),
        ("the token is refreshed every 15 minutes", False),
        ("token is invalid_grant2", False),
        ("pw: 12 weeks", False),
    ],
)
def test_a_password_in_prose_is_found(text: str, found: bool) -> None:
    assert bool(scan_text(text)) is found


@pytest.mark.parametrize(
    "text",
    ["-----BEGIN {} KEY-----\\\\nMIIB", "-----BEGIN RSA {} KEY-----<br>MIIB",
     "-----BEGIN OPENSSH {} KEY-----", "---- BEGIN SSH2 ENCRYPTED {} KEY ----\nComment: x",
     "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj",
     "MIIEpAIBAAKCAQEAx1", "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49", "b3BlbnNzaC1rZXktdjEAAAAA",
     "MC4CAQAwBQYDK2VwBCIEIAAA"],
)  # fmt: skip
def test_a_private_key_is_found_by_its_first_line_or_its_first_bytes(text: str) -> None:
    assert scan_text(text.format("PRIVATE")) == ("private key",)
    assert scan_text(f"key={text.format('PRIVATE')}") == ("private key",)


@pytest.mark.parametrize(
    "text",
    ["MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA", "MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBa",
     "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE", "-----BEGIN PUBLIC KEY-----\nMIIB",
     "-----BEGIN CERTIFICATE-----\nMIIB", "look for BEGIN PRIVATE KEY",
     "a -----BEGIN RSA PRIVATE KEY----- starts the file", "-----END PRIVATE KEY-----\n"],
)  # fmt: skip
def test_what_is_no_private_key(text: str) -> None:
    assert scan_text(text) == ()
