"""What does not fit goes in whole parts and whole rows, in a fixed order, and it is said."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest
from hostile_documents import documents
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.views.budget import COMMENT, Budget, fit, summary_budget, utf8_bytes, utf16_units
from ophiuchus.views.document import Block, Brief, Details, Document, Paragraph, Part, Table, Text
from ophiuchus.views.render.gfm import render_gfm
from ophiuchus.views.render.plain import render_plain


@dataclass
class Ruler:
    """Measures blocks as plain text, and remembers how often it was asked."""

    asked: list[int] = field(default_factory=list)

    def __call__(self, blocks: tuple[Block, ...]) -> int:
        size = len(render_plain(Document((), blocks))) + 1
        self.asked.append(size)
        return size


def part(name: str, rank: int, text: str) -> Part:
    return Part(name, rank, (Paragraph((Text(text),)),))


def rows(number: int) -> Table:
    return Table(("n",), tuple(((Text(f"row {row:03}"),),) for row in range(number)))


def shown(document: Document, limit: int) -> str:
    return render_plain(fit(document, limit, Ruler()))


DOCUMENT = Document(
    (
        part("head", 0, "h" * 90),
        part("detail", 2, "d" * 90),
        part("detail", 2, "e" * 90),
        part("aside", 3, "a" * 90),
        part("foot", 0, "f" * 90),
    )
)


def test_what_fits_is_left_as_it_is() -> None:
    assert fit(DOCUMENT, 1000, Ruler()) is DOCUMENT


def test_the_highest_rank_goes_first_and_the_last_of_a_rank_before_the_first() -> None:
    kept: list[str] = []
    for limit in range(500, 0, -1):
        text = shown(DOCUMENT, limit)
        letters = "".join(letter for letter in "hdeaf" if letter * 90 in text)
        if not kept or kept[-1] != letters:
            kept.append(letters)
    assert kept == ["hdeaf", "hdef", "hdf", "hf", "h", ""]


def test_of_several_tables_only_those_that_are_too_long_lose_rows() -> None:
    blocks = (rows(2), Details((Text("folded"),), (rows(100), Table(("n",), (((Text("last"),),),), more=7))))
    short, (long, cut_before) = _tables_of(fit(Document((Part("tables", 1, blocks),)), 300, Ruler()))
    assert (len(short.rows), short.more) == (2, 0)
    assert 2 < len(long.rows) < 100
    assert len(long.rows) + long.more == 100
    assert (len(cut_before.rows), cut_before.more) == (1, 7)


def _tables_of(document: Document) -> tuple[Table, tuple[Table, Table]]:
    match document.blocks:
        case (Table() as first, Details(_, (Table() as second, Table() as third)), *_):
            return first, (second, third)
    raise AssertionError(document)


def test_a_part_is_said_in_brief_when_the_turn_of_that_comes_and_goes_when_its_own_does() -> None:
    long = replace(part("state", 1, "s" * 90), brief=Brief(3, part("", 0, "short").blocks))
    document = Document(
        (part("head", 0, "h" * 90), part("aside", 2, "a" * 90), long, part("more", 4, "m" * 90))
    )
    kept: list[str] = []
    for limit in range(500, 0, -1):
        text = shown(document, limit)
        words = " ".join(word for word in ("h" * 90, "a" * 90, "s" * 90, "short", "m" * 90) if word in text)
        said = "".join(word if word == "short" else word[0] for word in words.split())
        if not kept or kept[-1] != said:
            kept.append(said)
        assert len(text) <= limit
    assert kept == ["hasm", "has", "hashort", "hshort", "h", ""]


def test_it_says_what_is_missing_by_name_and_number() -> None:
    assert "Left out, to fit here: aside." in shown(DOCUMENT, 440)
    assert "Left out, to fit here: detail (2), aside." in shown(DOCUMENT, 280)


def test_a_table_loses_rows_from_its_end_before_it_goes() -> None:
    document = Document((part("head", 0, "head"), Part("rows", 1, (rows(40),))))
    text = shown(document, 200)
    assert "row 000" in text
    assert "row 039" not in text
    left = text.count("row ")
    assert f"… and {40 - left} more." in text
    assert "Left out" not in text
    assert len(text) <= 200


def test_rows_of_a_folded_table_go_too_and_add_up() -> None:
    table = Table(("n",), rows(40).rows, more=5)
    document = Document((Part("fold", 1, (Details((Text("all"),), (table,)),)),))
    text = shown(document, 200)
    assert f"… and {45 - text.count('row ')} more." in text


def test_a_table_that_cannot_keep_a_row_goes_whole() -> None:
    document = Document((part("head", 0, "head"), Part("rows", 1, (rows(40), Paragraph((Text("x" * 90),))))))
    assert shown(document, 60) == "head\n\nLeft out, to fit here: rows.\n"


def test_the_closing_lines_are_kept_and_counted() -> None:
    document = Document(DOCUMENT.parts, (Paragraph((Text("now"),)),))
    text = shown(document, 280)
    assert text.endswith("\n\nnow\n")
    assert len(text) <= 280


def test_where_nothing_fits_nothing_is_said() -> None:
    assert fit(DOCUMENT, 10, Ruler()) == Document(())
    assert fit(DOCUMENT, -1, Ruler()) == Document(())


def test_a_thousand_parts_and_rows_are_measured_once_and_searched() -> None:
    details = tuple(part("detail", 2, "d" * 20) for _ in range(1000))
    ruler = Ruler()
    fit(Document((Part("rows", 0, (rows(1000),)), *details)), 3000, ruler)
    assert len(ruler.asked) < 1000 + 25
    assert sum(ruler.asked) < 150_000


@given(documents, st.integers(-10, 500))
def test_what_is_left_fits(document: Document, limit: int) -> None:
    ruler = Ruler()
    kept = fit(document, limit, ruler)
    assert ruler(kept.blocks) <= max(limit, 1)


def test_characters_are_counted_as_the_strictest_reader_would() -> None:
    assert utf16_units("aé漢👩\ud800") == 6
    assert utf8_bytes("aé漢👩\ud800") == 1 + 2 + 3 + 4 + 3


def test_the_comments_budget_is_what_the_platform_takes_with_room_to_spare() -> None:
    assert Budget(59_999, utf16_units) == COMMENT


@pytest.mark.parametrize("already", [0, 500_000, 999_900, 1_200_000])
def test_the_summary_counts_bytes_and_what_its_step_already_wrote(already: int) -> None:
    document = Document((part("head", 0, "漢" * 100), part("rest", 1, "漢" * 400_000)))
    written = render_gfm(document, budget=summary_budget(already)).encode()
    assert len(written) + already < max(1_000_000, already + 1)
