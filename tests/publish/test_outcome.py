from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.publish.outcome import Answer, Mend, OutcomeStatus, Refusal, judge_outcome
from ophiuchus.publish.providers.answer_head import note_head
from ophiuchus.publish.reference import Reference
from ophiuchus.publish.tape import Tape

PUBLISHED, AMBIGUOUS, FAILED = OutcomeStatus.PUBLISHED, OutcomeStatus.AMBIGUOUS, OutcomeStatus.FAILED
MADE = Reference("7")
NO, MAYBE = Refusal("not_in_channel", is_definite=True), Refusal("fatal_error")


def tape(
    status: int | None = None,
    *,
    handed_over: bool = True,
    failure: BaseException | None = None,
    before_sending: bool = False,
    **headers: str,
) -> Tape:
    made = Tape()
    if handed_over:
        made.admit("POST")
    if status is not None:
        note_head(made, status, {name.replace("_", "-"): value for name, value in headers.items()}.get)
    if failure is not None:
        made.failed(failure, before_sending=before_sending)
    return made


@pytest.mark.parametrize(
    ("seen", "answer", "wanted", "words"),
    [
        (tape(201), MADE, PUBLISHED, ""),
        (tape(200), MADE, PUBLISHED, ""),
        (tape(299), MADE, PUBLISHED, ""),
        (tape(201), None, AMBIGUOUS, "with status 201, but with no id"),
        (tape(204), None, AMBIGUOUS, "with status 204, but with no id"),
        (tape(201, failure=TimeoutError()), None, AMBIGUOUS, "with no id"),
        (tape(200), NO, FAILED, "the provider refused: not_in_channel"),
        (tape(200), MAYBE, AMBIGUOUS, "its own failure: fatal_error"),
        (tape(handed_over=False), None, FAILED, "nothing was sent"),
        (tape(handed_over=False), MADE, FAILED, "nothing was sent"),
        (
            tape(failure=ConnectionRefusedError(), before_sending=True),
            None,
            FAILED,
            "no connection was made (ConnectionRefusedError); nothing was sent",
        ),
        (tape(failure=ConnectionResetError()), None, AMBIGUOUS, "broke (ConnectionResetError)"),
        (tape(), None, AMBIGUOUS, "no answer came in time after sending had begun"),
        *((tape(status), MADE, FAILED, "not followed") for status in (301, 307, 308)),
        *((tape(status), MADE, AMBIGUOUS, "does not tell") for status in (300, 302, 303, 304, 399)),
        *(
            (tape(status), MADE, FAILED, f"with status {status}")
            for status in (400, 401, 403, 404, 409, 410, 413, 422, 429, 451)
        ),
        *((tape(status), MADE, AMBIGUOUS, "does not tell") for status in (408, 425, 499)),
        *((tape(status), MADE, AMBIGUOUS, "does not tell") for status in (100, 103, 199)),
        *((tape(status), MADE, AMBIGUOUS, "does not tell") for status in (500, 502, 503, 504, 599, 600, 999)),
    ],
)
def test_each_end_of_a_write_has_its_outcome(
    seen: Tape, answer: Answer, wanted: OutcomeStatus, words: str
) -> None:
    outcome = judge_outcome(seen, answer)
    assert outcome.status is wanted
    assert words in outcome.reason
    assert (outcome.reference is not None) == (wanted is PUBLISHED)


@pytest.mark.parametrize(
    ("seen", "answer", "words", "mend"),
    [
        (tape(429), None, "status 429: rate limited", Mend.PACE),
        (tape(403, Retry_After="60"), None, "rate limited", Mend.PACE),
        (tape(403), Refusal("too fast", mend=Mend.PACE), "403 (too fast): rate limited", Mend.PACE),
        (tape(401), None, "does not know the credential", Mend.CREDENTIAL),
        (tape(401), Refusal("TokenExpired"), "401 (TokenExpired): it does not know", Mend.CREDENTIAL),
        (tape(403), None, "may not do this", Mend.CREDENTIAL),
        (tape(403), Refusal("it is archived", mend=Mend.TARGET), "403 (it is archived)", Mend.TARGET),
        (tape(404), None, "no such target", Mend.TARGET),
        (tape(422), None, "with status 422", Mend.CAUSE),
        (tape(400), Refusal("about priority"), "with status 400 (about priority)", Mend.CAUSE),
        (tape(301), None, "a redirect is not followed", Mend.ADDRESS),
        (tape(failure=OSError(), before_sending=True), None, "no connection was made", Mend.CONNECTION),
        (tape(200), Refusal("too_fast", is_definite=True, mend=Mend.PACE), "too_fast", Mend.PACE),
    ],
)
def test_c053_a_refusal_says_what_helps(seen: Tape, answer: Answer, words: str, mend: Mend) -> None:
    found = judge_outcome(seen, answer)
    assert (found.status, found.mend) == (FAILED, mend)
    assert words in found.reason


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("https://other.example.invalid/x?token=canary", "(redirected to other.example.invalid)"),
        ("//Other.example.invalid:8443", "(redirected to other.example.invalid)"),
        ("https://canary:canary@other.example.invalid", "(redirected to other.example.invalid)"),
        ("/elsewhere/canary", None),
        ("https://[canary", None),
        ("https://ca_nary/@all", None),
        ("", None),
    ],
)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_c106_a_redirect_says_to_which_host_and_no_more(status: int, address: str, words: str | None) -> None:
    reason = judge_outcome(tape(status, Location=address), None).reason
    assert (words in reason) if words else ("redirected" not in reason)
    assert "canary" not in reason
    assert "ca_nary" not in reason


def test_another_answer_than_a_redirect_names_no_host() -> None:
    assert "example" not in judge_outcome(tape(404, Location="https://x.example"), None).reason


@pytest.mark.parametrize(("status", "kept"), [(429, 60), (403, 60), (503, None), (201, None), (301, None)])
def test_a_time_to_wait_is_told_where_nothing_was_done(status: int, kept: int | None) -> None:
    assert judge_outcome(tape(status, Retry_After="60"), None).retry_after == kept


@given(
    status=st.none() | st.integers(0, 999),
    handed_over=st.booleans(),
    fails=st.sampled_from([None, TimeoutError()]),
    before_sending=st.booleans(),
    answer=st.sampled_from([None, MADE, NO, MAYBE]),
)
def test_published_needs_a_success_and_an_id_and_failed_a_sign_that_nothing_was_done(
    status: int | None,
    handed_over: bool,
    fails: BaseException | None,
    before_sending: bool,
    answer: Answer,
) -> None:
    seen = tape(status, handed_over=handed_over, failure=fails, before_sending=before_sending)
    outcome = judge_outcome(seen, answer)
    succeeded = status is not None and 200 <= status < 300
    assert (outcome.status is PUBLISHED) == (succeeded and answer is MADE)
    never_left = status is None and (not handed_over or (fails is not None and before_sending))
    said_no = status is not None and (status in (301, 307, 308) or 400 <= status < 500)
    if outcome.status is FAILED:
        assert never_left or said_no or (succeeded and answer is NO)


def test_c019_a_refusal_that_comes_with_status_200_is_no_success() -> None:
    for status, answer in product((200, 201), (NO, MAYBE, None)):
        assert judge_outcome(tape(status), answer).status is not PUBLISHED
