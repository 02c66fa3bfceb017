"""JSON objects of one known form, read and checked in one step, for those who read a great many of them.

pydantic's parser is much quicker than the standard one, but takes what strict JSON does not: an object that
has a name twice. One that might is left to `parse_json`, as is whatever the form does not have.
"""

from __future__ import annotations

from typing import Any

from pydantic_core import CoreConfig, CoreSchema, SchemaValidator, ValidationError


class ObjectForm:
    """What a typed dictionary's schema says yes to.

    It must be strict, forbid other members, and have no values but texts, true and false, null, whole numbers
    within bounds, and lists of texts: of others it could not be told whether strict JSON has them.
    """

    def __init__(self, schema: CoreSchema) -> None:
        # Names come again and again, texts hardly ever: to keep those would cost time and memory.
        self._read = SchemaValidator(schema, CoreConfig(cache_strings="keys")).validate_json
        fields: dict[str, Any] = dict(schema["fields"])
        texts = {name for name, field in fields.items() if _is_always_text(field)}
        self._texts = len(texts)
        self._other = [name for name in fields if name not in texts and _may_hold_text(fields[name])]

    def read(self, data: bytes) -> dict[str, Any] | None:
        """The object that `parse_json` finds in `data`; None where it is not of the form, or not surely."""
        try:
            members: dict[str, Any] = self._read(data)
        except ValidationError:
            return None
        marks = data.count(b'"')
        if b"\\" in data:
            # Those in texts: once escaped backslashes are gone, any other escapes what follows it.
            marks -= data.replace(b"\\\\", b"").count(b'\\"')
        strings = len(members) + self._texts
        for name in self._other:
            value = members.get(name)
            if type(value) is str:
                strings += 1
            elif type(value) is list:
                strings += len(value)
        # A name that stands twice is written and not among the members.
        return members if marks == 2 * strings else None


def _is_always_text(field: dict[str, Any]) -> bool:
    return field.get("required", True) and field["schema"]["type"] in ("str", "literal")


def _may_hold_text(field: dict[str, Any]) -> bool:
    return field["schema"]["type"] not in ("bool", "int")
