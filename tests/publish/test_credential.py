from __future__ import annotations

import pytest

from ophiuchus.publish.credential import read_credential
from ophiuchus.publish.provider import CredentialMissing

NAME = "OPHIUCHUS_SLACK_BOT_TOKEN"
SECRET = "x" + "oxb-" + "canary"


@pytest.mark.parametrize("value", [SECRET, f"{SECRET}\n", f"  {SECRET}\t"])
def test_blanks_around_a_credential_are_no_part_of_it(value: str) -> None:
    assert read_credential({NAME: value}, NAME) == SECRET


@pytest.mark.parametrize("env", [{}, {NAME: ""}, {NAME: " \n"}])
def test_a_missing_credential_is_told_with_its_variable(env: dict[str, str]) -> None:
    with pytest.raises(CredentialMissing) as told:
        read_credential(env, NAME)
    assert NAME in told.value.message
    assert NAME in told.value.remedy


@pytest.mark.parametrize(
    "value",
    [
        *(f"{quote}{SECRET}{quote}\n" for quote in "\"'`"),
        f'{{"accessToken":"{SECRET}"}}',
        "<canary>",
        "$CANARY",
        "${CANARY}",
        "***",
    ],
)
def test_what_stands_for_a_credential_is_told_and_not_sent(value: str) -> None:
    with pytest.raises(CredentialMissing, match="in quotes, or stands for a value") as told:
        read_credential({NAME: value}, NAME)
    assert "canary" not in (told.value.message + told.value.remedy).lower()


@pytest.mark.parametrize("inside", ["'", '"', "<", "$", "*", "{}", "$X-"])
def test_a_credential_may_hold_any_sign(inside: str) -> None:
    value = f"{SECRET}{inside}{SECRET}"
    assert read_credential({NAME: value}, NAME) == value


@pytest.mark.parametrize(
    "value", [f"{SECRET} {SECRET}", f"{SECRET}\n{SECRET}", f"{SECRET}ü", f"{SECRET}\0", SECRET * 1000]
)
def test_what_no_header_can_hold_is_refused_and_not_shown(value: str) -> None:
    with pytest.raises(CredentialMissing) as told:
        read_credential({NAME: value}, NAME)
    assert NAME in told.value.message
    assert "canary" not in repr(told.value) + told.value.message + told.value.remedy
