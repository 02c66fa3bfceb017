"""The report as SARIF 2.1.0, for code scanning: what needs action, what is wrong, and what critics found.

A result is a condition that needs action, a problem, or a finding that is open and blocks.
Rules are a closed set, so that none is named by data. A result keeps its fingerprint as long as the capsule
keeps its id and the condition its own, or the finding its ids, whatever moves in the file.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from ophiuchus.assess.verdicts import VALIDITY_LIMIT, Verdict
from ophiuchus.report.code_places import CodePlace, code_places
from ophiuchus.report.elsewhere import is_elsewhere
from ophiuchus.report.ledgers import LEDGER_LIMIT, NOT_SHOWN, BlockingFinding, Ledgers
from ophiuchus.report.model import CapsuleReport, Report
from ophiuchus.text.clean import clean_line
from ophiuchus.text.cut import cut
from ophiuchus.text.problem import Problem, ProblemCode

MOST_RESULTS = 25_000
"""Most results of one run that code scanning takes; of more it takes none."""
MESSAGE_CHARACTERS = 1_000

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

_EXPIRED = "expired"
_VERDICTS = {
    Verdict.STALE: "What a capsule declares does not hold any more.",
    Verdict.PARTIALLY_STALE: "Some of what a capsule declares does not hold any more.",
    Verdict.UNVERIFIABLE: "Nobody can tell whether what a capsule declares holds, and that can be mended.",
}
_FINDING = "finding/blocking"
_RULES: dict[str, tuple[str, str]] = {
    **{f"condition/{verdict.value}": ("warning", says) for verdict, says in _VERDICTS.items()},
    f"capsule/{_EXPIRED}": ("warning", "The moment has passed until which a capsule was meant to be read."),
    **{
        f"problem/{code.value}": ("error", f"A file could not be used: {code.value.replace('_', ' ')}.")
        for code in ProblemCode
    },
    # Advisory, as it is annotated; `fail_on: blocking_findings` is what fails.
    _FINDING: ("warning", "A critic's finding is open and says of itself that it blocks."),
}
_PLACES = {rule: place for place, rule in enumerate(_RULES)}
_SPELLED = re.compile(r"\\\\|\\x([0-9a-f]{2})")
Result = dict[str, Any]


def sarif_text(report: Report, home: str | None = None) -> str:
    """The report as one SARIF log, in ASCII, which a later step may print: no line is a workflow command.

    What is said to be another repository's than `home`, the run's own, is left out and counted: code scanning
    would look for its path in this one.
    """
    found = [*_results(report), *_findings(report, home)]
    results = [result for result, whose in found if not is_elsewhere(whose, home)]
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "Ophiuchus",
                "version": report.tool.version,
                "rules": [_rule(name, level, says) for name, (level, says) in _RULES.items()],
            }
        },
        "columnKind": "unicodeCodePoints",
        "automationDetails": {"id": _category(report)},
        "results": results[:MOST_RESULTS],
    }
    too_many = max(len(results) - MOST_RESULTS, 0) + _unlisted(report.ledgers)
    if said := list(_left_out(elsewhere=len(found) - len(results), too_many=too_many)):
        run["invocations"] = [{"executionSuccessful": True, "toolExecutionNotifications": said}]
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=1).replace("\x7f", r"\u007f").replace("##[", r"##\u005b") + "\n"


def _left_out(*, elsewhere: int, too_many: int) -> Iterator[dict[str, Any]]:
    """A notification for each reason for which results are not there."""
    if elsewhere:
        are = "result of another repository was" if elsewhere == 1 else "results of other repositories were"
        yield {"level": "note", "message": {"text": f"{elsewhere:,} {are} left out."}}
    if too_many:
        more = "more result was" if too_many == 1 else "more results were"
        yield {"level": "warning", "message": {"text": f"{too_many:,} {more} left out."}}


def _category(report: Report) -> str:
    """What parts this run from others of one commit: two shards are two."""
    shard = report.evaluated.shard
    return "ophiuchus/" if shard is None else f"ophiuchus/shard-{shard.replace('/', '-of-')}/"


def _rule(name: str, level: str, says: str) -> dict[str, Any]:
    limit, more = VALIDITY_LIMIT, "`ophiuchus inspect ID` tells all about one capsule."
    if name == _FINDING:
        limit, more = LEDGER_LIMIT, "`ophiuchus critic resolve ID` closes it, and keeps who did and why."
    return {
        "id": name,
        "name": "".join(word.capitalize() for word in re.split("[/_]", name)),
        "shortDescription": {"text": says},
        "fullDescription": {"text": f"{says} {limit}"},
        "help": {"text": f"{says} {more} {limit}"},
        "defaultConfiguration": {"level": level},
    }


def _results(report: Report) -> Iterator[tuple[Result, str | None]]:
    """Each result, and the repository that it is said to be of."""
    told: Counter[tuple[str | None, str, str]] = Counter()
    for problem in report.problems:
        same = (problem.repository, problem.path, problem.code.value)
        told[same] += 1
        yield _problem(problem, told[same]), problem.repository
    for capsule in report.capsules:
        if capsule.needs_action and not capsule.continued:
            yield from ((result, capsule.repository) for result in _of_capsule(capsule))


def _findings(report: Report, home: str | None) -> Iterator[tuple[Result, str | None]]:
    """The same for the critics' findings: a joined report has the ledgers of one repository only."""
    if report.ledgers.critic is None:
        return
    whose = report.evaluated.repository if report.sources and home is not None else None
    told: Counter[tuple[str, ...]] = Counter()
    for finding in report.ledgers.critic.open_blocking:
        names = (finding.finding_id, finding.run_id, finding.phase_id, finding.lens)
        told[names] += 1
        yield _finding(report.ledgers.critic.path, finding, (*names, str(told[names]))), whose


def _unlisted(ledgers: Ledgers) -> int:
    """How many findings the report counts and does not list."""
    critic = ledgers.critic
    return max(critic.open_blocking_count - len(critic.open_blocking), 0) if critic else 0


def _finding(ledger: str, finding: BlockingFinding, identity: tuple[str, ...]) -> Result:
    said = NOT_SHOWN if finding.text is None else finding.text
    about = ", ".join(filter(None, (finding.severity, finding.lens, finding.run_id, finding.phase_id)))
    message = f"Open and blocking ({about}): {said}" if about else f"Open and blocking: {said}"
    place = _place(ledger, finding.line)
    return _result(_FINDING, message, place, ("finding", *identity), code_places(finding.text or ""))


def _problem(problem: Problem, number: int) -> Result:
    identity = ("problem", problem.path, problem.code.value, str(number))
    message = f"{problem.place()}: {problem.message}"
    place = _place(problem.path, problem.line, problem.column)
    return _result(f"problem/{problem.code.value}", message, place, identity)


def _of_capsule(capsule: CapsuleReport) -> Iterator[Result]:
    name = capsule.capsule_id.casefold()
    if capsule.expired:
        message = f"{capsule.capsule_id}: the moment that expires_at names has passed"
        yield _result(f"capsule/{_EXPIRED}", message, _place(capsule.path), ("expired", name))
    for one in capsule.validity.conditions:
        if one.needs_action:
            message = f"{capsule.capsule_id}, condition {one.condition_id}: {one.reason}"
            if one.remedy is not None:
                message += f". To do: {one.remedy}"
            rule = f"condition/{one.verdict.value}"
            identity = ("condition", name, one.condition_id)
            yield _result(rule, message, _place(capsule.path, one.line), identity)


def _place(path: str, line: int | None = None, column: int | None = None) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": _uri(path), "uriBaseId": "%SRCROOT%"}}
    if line is not None:
        place["region"] = {"startLine": line}
        if column is not None:
            place["region"]["startColumn"] = column
    return place


def _result(
    rule: str,
    message: str,
    place: dict[str, Any],
    identity: tuple[str, ...],
    related: Iterable[CodePlace] = (),
) -> Result:
    """One result. `related` are places that it speaks of beside its own."""
    spelled = "\0".join(identity).encode("utf-8", "surrogatepass")
    places = [{"physicalLocation": _place(one.path, one.line)} for one in related]
    return {
        "ruleId": rule,
        "ruleIndex": _PLACES[rule],
        "level": _RULES[rule][0],
        "message": {"text": _message(message)},
        "locations": [{"physicalLocation": place}],
        **({"relatedLocations": places} if places else {}),
        # The one that code scanning compares from run to run.
        "partialFingerprints": {"primaryLocationLineHash": sha256(spelled).hexdigest()[:32]},
    }


def _message(text: str) -> str:
    """The text on one line, in which SARIF finds neither a link nor a place to fill in."""
    line = cut(clean_line(text), MESSAGE_CHARACTERS)
    return line.replace("](", "]\u200b(").replace("{", "{{").replace("}", "}}")


def _uri(path: str) -> str:
    """A path as it is spelled in a report, as a relative reference: its bytes, escaped."""
    spelled = path.encode("utf-8", "surrogatepass").decode("latin-1")
    raw = _SPELLED.sub(lambda found: chr(int(found[1], 16)) if found[1] else "\\", spelled)
    return quote(raw.encode("latin-1"), safe="/")
