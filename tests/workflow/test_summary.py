from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ophiuchus.views.document import Document, Heading, Paragraph, Part, Table, Text
from ophiuchus.workflow.summary import SummaryIsFull, append_summary

LIMIT = 1_000_000


def document(rows: int, text: str = "é" * 1500) -> Document:
    table = Table(("A", "B"), tuple(((Text(str(row)),), (Text(text),)) for row in range(rows)))
    return Document(
        (
            Part("the headline", 0, (Heading(1, (Text("Nothing to do"),)),)),
            Part("the table", 1, (table,)),
        ),
        volatile=(Paragraph((Text("now"),)),),
    )


def test_a_summary_is_appended_below_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "summary"
    path.write_text("# earlier")
    append_summary(str(path), document(1))
    text = path.read_text()
    assert text.startswith("# earlier\n### ")
    assert text.endswith("now\n")


@pytest.mark.parametrize("before", [0, 1, 500_000, 990_000])
@pytest.mark.parametrize("keep", [0, 5_000])
def test_all_of_a_step_s_summary_stays_under_its_bytes(tmp_path: Path, before: int, keep: int) -> None:
    path = tmp_path / "summary"
    path.write_bytes(b"x" * before)
    append_summary(str(path), document(400), keep=keep)
    assert path.stat().st_size < LIMIT - keep
    assert path.stat().st_size > LIMIT - keep - 8_000
    assert "more" in path.read_text()[-2_000:]


@pytest.mark.parametrize("before", [LIMIT - 10, LIMIT, LIMIT + 100_000])
def test_where_nothing_fits_nothing_is_written_and_it_is_said(tmp_path: Path, before: int) -> None:
    path = tmp_path / "summary"
    path.write_bytes(b"x" * before)
    with pytest.raises(SummaryIsFull):
        append_summary(str(path), document(3))
    assert path.stat().st_size == before


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(LIMIT - 30_000, LIMIT), st.text(max_size=20), st.integers(0, 300))
def test_no_text_and_no_number_of_rows_breaks_the_limit(
    tmp_path: Path, before: int, text: str, rows: int
) -> None:
    path = tmp_path / "summary"
    path.write_bytes(b"x" * before)
    try:
        append_summary(str(path), document(rows, text))
    except SummaryIsFull:
        assert path.stat().st_size == before
    assert path.stat().st_size <= LIMIT


def test_a_summary_that_cannot_be_written_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"."):
        append_summary(str(tmp_path / "absent" / "file"), document(1))
    with pytest.raises(OSError, match=r"."):
        append_summary("/dev/full", document(1))
