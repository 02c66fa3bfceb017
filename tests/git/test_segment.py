"""Classes of a pattern, looked for one after the other."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from ophiuchus.git.segment import CharacterClass, NeverMatches, read_class


def class_at(pattern: bytes, at: int, met: set[tuple[int, bool]] | None = None) -> CharacterClass | None:
    try:
        return read_class(pattern, at, met)
    except NeverMatches:
        return None


PIECES = [b"[", b"]", b"[:", b":]", b"[:alpha:]", b"[:nonsense:]", b"-", b"\\", b"!", b"^", b"a", b"z", b":"]


@given(st.lists(st.sampled_from(PIECES), max_size=24).map(b"".join))
@example(b"[[:alpha:]")
@example(b"[a-[]b]")
@example(b"[[-x-[:alpha:]")
@example(b"[\\[a]")
@settings(max_examples=300)
def test_what_was_met_before_tells_of_a_class_what_reading_it_alone_tells(pattern: bytes) -> None:
    met: set[tuple[int, bool]] = set()
    at = 0
    while (at := pattern.find(b"[", at)) >= 0:
        found = class_at(pattern, at, met)
        assert found == class_at(pattern, at)
        at = found.end if found else at + 1
