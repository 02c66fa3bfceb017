"""Words: enums of texts like any other, read quickly."""

from __future__ import annotations

import copy
import json
import pickle
from enum import StrEnum
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from ophiuchus.assess.continuity import ContinuityStatus
from ophiuchus.assess.verdicts import Aggregate, GlobResult, Method, Verdict
from ophiuchus.git.findings import Change
from ophiuchus.text.word import Word

EVERY_WORD = [word for words in Word.__subclasses__() for word in words]


def test_these_are_the_words_of_the_program() -> None:
    assert {Change, Verdict, Aggregate, Method, GlobResult, ContinuityStatus} <= set(Word.__subclasses__())


@pytest.mark.parametrize("word", EVERY_WORD, ids=repr)
def test_a_word_is_a_member_of_a_text_enum_in_every_way(word: Word) -> None:
    words = type(word)
    make: Any = StrEnum
    plain = make("Plain", {one.name: str(one) for one in words})[word.name]
    assert word.value == plain.value == word == str(word) == f"{word}" == json.loads(json.dumps(word))
    assert type(word.value) is str
    assert repr(word) == repr(plain).replace("Plain", words.__name__)
    assert hash(word) == hash(plain)
    assert words(word.value) is words[word.name] is copy.deepcopy(word) is pickle.loads(pickle.dumps(word))


def test_pydantic_writes_reads_and_describes_words_as_it_does_those_of_any_enum() -> None:
    words: TypeAdapter[Verdict] = TypeAdapter(Verdict)
    assert words.dump_json(Verdict.STALE) == b'"stale"'
    assert words.dump_python(Verdict.STALE, mode="json") == "stale"
    assert words.validate_python("stale") is Verdict.STALE
    assert words.json_schema()["enum"] == [word.value for word in Verdict]
    with pytest.raises(ValidationError):
        words.validate_python("fresh")


def test_a_words_value_cannot_be_set() -> None:
    with pytest.raises(AttributeError):
        Verdict.STALE.value = "fresh"  # type: ignore[misc]
    assert Verdict.STALE.value == "stale"
