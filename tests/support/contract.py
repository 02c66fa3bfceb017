"""What a provider's own description says of one request, judged from the description alone.

The descriptions (OpenAPI 3.1) are kept beside the project, since not all of their licences are known; see
`folder`.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fault_server import Request
from jsonschema import Draft4Validator, Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

MISSING = "contracts are kept beside the project: OPHIUCHUS_CONTRACTS names no folder that has them"
_URI = "urn:contract"


def folder() -> Path | None:
    """Where the descriptions are; None where there are none."""
    beside = Path(__file__).parents[3] / "shared" / "contracts"
    found = Path(os.environ.get("OPHIUCHUS_CONTRACTS") or beside)
    return found if (found / "github.json").is_file() else None


@dataclass(frozen=True)
class _Operation:
    """One operation of a description: where it stands, and the words of the path that fill its gaps."""

    pointer: str
    document: dict[str, Any]
    words: dict[str, str]


class Contract:
    """One description. `base` is what stands before its paths in a request's."""

    def __init__(self, file: Path, base: str) -> None:
        self._description = json.loads(file.read_text())
        self._base = base
        resource = DRAFT202012.create_resource(self._description)
        self._registry: Registry[Any] = Registry().with_resource(_URI, resource)

    def faults(self, request: Request) -> list[str]:
        """All that the description has against `request`; empty where it has nothing."""
        operation = self._operation(request)
        if operation is None:
            return [f"no operation {request.method} {request.path}"]
        return [
            *self._of_words(operation),
            *self._of_credential(operation, request),
            *self._of_body(operation, request),
        ]

    def example(self, request: Request) -> tuple[int, Any]:
        """The status and the body of the first good answer that the description shows for `request`."""
        operation = self._operation(request)
        assert operation is not None, request.path
        responses = operation.document["responses"]
        status = min(status for status in responses if status.startswith("2"))
        shown = responses[status]["content"]["application/json"]
        if "example" in shown:
            return int(status), shown["example"]
        return int(status), self._resolved(next(iter(shown["examples"].values())))["value"]

    def _operation(self, request: Request) -> _Operation | None:
        if not request.path.startswith(self._base + "/"):
            return None
        path = request.path.removeprefix(self._base)
        for template, item in self._description["paths"].items():
            gaps = re.sub(r"\\\{([^}]*)\\\}", r"([^/]+)", re.escape(template))
            found = re.fullmatch(gaps, path)
            if found and request.method.lower() in item:
                escaped = template.replace("~", "~0").replace("/", "~1")
                names = re.findall(r"\{([^}]*)\}", template)
                return _Operation(
                    f"/paths/{escaped}/{request.method.lower()}",
                    item[request.method.lower()],
                    dict(zip(names, found.groups(), strict=True)),
                )
        return None

    def _of_words(self, operation: _Operation) -> Iterator[str]:
        for reference in operation.document.get("parameters", []):
            parameter = self._resolved(reference)
            if parameter["in"] != "path":
                continue
            word: Any = operation.words[parameter["name"]]
            if parameter["schema"].get("type") in ("integer", "number") and re.fullmatch("[0-9]+", word):
                word = int(word)
            for error in Draft202012Validator(parameter["schema"]).iter_errors(word):
                yield f"{parameter['name']}: {error.message}"

    def _of_credential(self, operation: _Operation, request: Request) -> Iterator[str]:
        schemes = self._description["components"]["securitySchemes"]
        wanted = operation.document.get("security", self._description["security"])
        given = request.headers.get("authorization", "")
        for names in wanted:
            for name in names:
                scheme = schemes[name]
                if scheme["type"] == "http" and given.lower().startswith(scheme["scheme"] + " "):
                    return
                if scheme["type"] == "apiKey" and request.headers.get(scheme["name"].lower()):
                    return
        yield f"no credential as in {wanted}"

    def _of_body(self, operation: _Operation, request: Request) -> Iterator[str]:
        kind = request.headers.get("content-type", "").partition(";")[0]
        if kind not in operation.document["requestBody"]["content"]:
            yield f"a body of {kind}"
            return
        pointer = f"{operation.pointer}/requestBody/content/{kind.replace('/', '~1')}/schema"
        validator = Draft202012Validator({"$ref": f"{_URI}#{pointer}"}, registry=self._registry)
        for error in validator.iter_errors(request.json()):
            yield f"{error.json_path}: {error.message}"

    def _resolved(self, document: dict[str, Any]) -> dict[str, Any]:
        """What a reference within the description points at, or `document` itself."""
        if "$ref" not in document:
            return document
        found: Any = self._description
        for step in document["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        return dict(found)


def adf_faults(file: Path, document: Any) -> list[str]:
    """All that Atlassian's schema has against `document`."""
    return [error.message for error in Draft4Validator(json.loads(file.read_text())).iter_errors(document)]
