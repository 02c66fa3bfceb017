"""The digest: every single thing that decides a write changes it, and nothing else does."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import built_reports
import pytest
from hypothesis import given
from hypothesis import strategies as st
from publishable import PATHS, WINDOW, report, shelved

from ophiuchus.assess.continuity import Continuity, ContinuityStatus
from ophiuchus.assess.fidelity import FidelityVerdict, UnitVerdict
from ophiuchus.assess.negative_knowledge import ItemVerdict, Standing
from ophiuchus.assess.verdicts import Aggregate, GlobResult, Method, Verdict
from ophiuchus.git.findings import Change
from ophiuchus.git.log_walk import LoggedCommit
from ophiuchus.publish import digest
from ophiuchus.publish.capability import Deployment, Operation, ProviderName
from ophiuchus.publish.destination import GitHubDestination, JiraDestination
from ophiuchus.publish.digest import canonical_json, destination_digest, payload_digest, view_digest
from ophiuchus.publish.provider import Write
from ophiuchus.publish.reference import Reference

ITEM = ItemVerdict("nk-1", "rejected", Standing.STILL_APPLICABLE, "r")
UNIT = UnitVerdict("u-1", "goal", FidelityVerdict.PRESERVED, "whole in this rendering")
COVERED: dict[str, Any] = {
    "shelved": shelved(),
    "report": report(negative_knowledge=(ITEM,)),
    "fidelity": (UNIT,),
    "destination": JiraDestination(provider=ProviderName.JIRA, target="OPH"),
    "origin": "https://acme.atlassian.net",
    "write": Write(Operation.CREATE, "OPH", {"fields": {"summary": "s"}}),
}


def digest_of(**changed: Any) -> str:
    covered = {**COVERED, **changed}
    return destination_digest(covered.pop("shelved"), covered.pop("report"), **covered)


def write(**changed: Any) -> dict[str, Any]:
    return {"write": replace(COVERED["write"], **changed)}


def destination(**changed: Any) -> dict[str, Any]:
    return {"destination": COVERED["destination"].model_copy(update=changed)}


def found(*conditions: Any, **fields: Any) -> dict[str, Any]:
    return {"report": report(*conditions, **{"negative_knowledge": (ITEM,), **fields})}


COVERED_THINGS: dict[str, dict[str, Any]] = {
    "path": {"shelved": replace(shelved(), path=".ophiuchus/other.json")},
    "blob": {"shelved": replace(shelved(), blob="cd" * 20)},
    "aggregate": found(aggregate=Aggregate.STALE),
    "expired": found(expired=True),
    "a condition's verdict": found(replace(PATHS, verdict=Verdict.STALE), WINDOW),
    "a condition's method": found(replace(PATHS, method=Method.ANCHOR), WINDOW),
    "a condition's weight": found(replace(PATHS, required=False), WINDOW),
    "a condition's kind": found(replace(PATHS, kind="weather"), WINDOW),
    "a condition's id": found(replace(PATHS, condition_id="x"), WINDOW),
    "a condition": found(PATHS),
    "their order": found(WINDOW, PATHS),
    "a glob's result": found(
        replace(PATHS, paths=(built_reports.glob("src/auth/**", result=GlobResult.NOT_EVALUATED),)), WINDOW
    ),
    "a glob": found(replace(PATHS, paths=(built_reports.glob("src/**"),)), WINDOW),
    "a standing": found(negative_knowledge=(replace(ITEM, standing=Standing.RETIRED),)),
    "a state": found(negative_knowledge=(replace(ITEM, state="superseded"),)),
    "continuity": found(continuity=Continuity(ContinuityStatus.GONE, "parent")),
    "hops": found(continuity=Continuity(ContinuityStatus.NONE, None, 1)),
    "fidelity": {"fidelity": (replace(UNIT, verdict=FidelityVerdict.DEGRADED),)},
    "a unit": {"fidelity": ()},
    "origin": {"origin": "https://other.atlassian.net"},
    "target": write(target="OTHER"),
    "operation": write(operation=Operation.APPEND, append_to=Reference("OPH-1")),
    "content": write(content={"fields": {"summary": "t"}}),
    "an added key": write(content={"fields": {"summary": "s"}, "update": {}}),
    "issue_type": destination(issue_type="Bug"),
    "labels": destination(labels=("a",)),
    "deployment": destination(deployment=Deployment.DATA_CENTER),
    "contact_cards": destination(contact_cards=True),
    "append_to in the file": destination(append_to="OPH-1"),
    "the target in the file": destination(target="OTHER"),
    "provider": {"destination": GitHubDestination(provider=ProviderName.GITHUB, target="acme/web")},
}


@pytest.mark.parametrize("changed", COVERED_THINGS.values(), ids=COVERED_THINGS)
def test_any_covered_thing_changes_the_digest(changed: dict[str, Any]) -> None:
    assert digest_of(**changed) != digest_of()


def test_all_these_digests_are_different() -> None:
    digests = [digest_of(**changed) for changed in COVERED_THINGS.values()]
    assert len(set(digests)) == len(digests)


def test_the_reference_that_is_appended_to_changes_the_digest() -> None:
    def appended(artifact: str) -> str:
        return digest_of(**write(operation=Operation.APPEND, append_to=Reference(artifact)))

    assert appended("OPH-1") != appended("OPH-2")


def test_the_formats_version_changes_the_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest_of(), view_digest(["a"])
    monkeypatch.setattr(digest, "FORMAT_VERSION", 2)
    assert digest_of() != before[0]
    assert view_digest(["a"]) != before[1]


COMMIT = LoggedCommit("5e" * 20, "Rotate keys")
CHANGED = built_reports.glob("src/auth/**", {"src/auth/a.py": Change.CONTENT}, result=GlobResult.UNCHANGED)
VOLATILE: dict[str, dict[str, Any]] = {
    "what is known of the base": found(before=Aggregate.STALE, introduced=True, new=True, redeclared=True),
    "whether a newer one continues it": found(continued=True, needs_action=True),
    "the log": found(replace(PATHS, changed_by=(COMMIT,)), WINDOW),
    "words": found(replace(PATHS, reason="another word", remedy="do", introduced=True, line=3), WINDOW),
    "which paths changed": found(replace(PATHS, paths=(CHANGED,)), WINDOW),
    "words about a unit": {"fidelity": (replace(UNIT, reason="another word"),)},
    "a key's place in the content": write(content=json.loads('{"fields": {"summary": "s"}}')),
}


@pytest.mark.parametrize("changed", VOLATILE.values(), ids=VOLATILE)
def test_what_two_runs_can_differ_in_does_not(changed: dict[str, Any]) -> None:
    assert digest_of(**changed) == digest_of()


def test_the_view_digest_is_over_all_destinations_in_any_order() -> None:
    one, other = digest_of(), digest_of(**COVERED_THINGS["target"])
    assert view_digest([one, other]) == view_digest([other, one])
    assert len({view_digest([one, other]), view_digest([one]), view_digest([other]), one}) == 4


def test_digests_are_64_hex_digits() -> None:
    for made in (digest_of(), view_digest([]), payload_digest({})):
        assert len(made) == 64
        assert set(made) <= set("0123456789abcdef")


def test_the_payloads_digest_is_over_what_is_sent() -> None:
    assert payload_digest({"a": 1, "b": 2}) == payload_digest({"b": 2, "a": 1})
    assert payload_digest({"a": 1}) != payload_digest({"a": "1"})


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(JSON, JSON)
def test_canonical_json_is_one_spelling_of_one_value(one: Any, other: Any) -> None:
    spelled = canonical_json(one)
    assert spelled.isascii()
    assert json.loads(spelled) == one
    assert (spelled == canonical_json(other)) == (
        json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    )


@pytest.mark.parametrize("value", [float("nan"), float("inf"), b"x", {1, 2}])
def test_what_is_no_json_has_no_digest(value: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        canonical_json(value)
