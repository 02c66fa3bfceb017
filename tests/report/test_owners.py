from __future__ import annotations

import time
from itertools import pairwise

import pytest
from built_reports import capsule, condition, glob
from hypothesis import given
from hypothesis import strategies as st

from ophiuchus.assess.verdicts import Aggregate, GlobResult, Verdict
from ophiuchus.git.findings import Change
from ophiuchus.report import owners
from ophiuchus.report.model import CapsuleReport
from ophiuchus.report.owners import (
    MOST_LINES,
    MOST_OWNERS,
    MOST_PATTERN_BYTES,
    MOST_STARS,
    owners_of,
    read_owners,
    watched_paths,
)


def about(name: str, *paths: str) -> CapsuleReport:
    """A capsule that is stale, since these paths changed."""
    globs = [glob(path, {path: Change.CONTENT}) for path in paths]
    return capsule(name, Aggregate.STALE, condition(Verdict.STALE, *globs))


def owners_in(text: str, *paths: str) -> tuple[str, ...]:
    one = about("a", *paths)
    return owners_of(read_owners(text.encode()), [one])[one.path]


# What GitHub documents of its CODEOWNERS.

DOCUMENTED = """\
# the owners of everything
*       @global-owner1 @global-owner2
*.js    @js-owner #This is an inline comment.
*.go docs@example.com
*.txt @octo-org/octocats
/build/logs/ @doctocat
docs/* docs@example.com
apps/ @octocat
/docs/ @doctocat
/scripts/ @doctocat @octocat
**/logs @octocat
/apps/ @octocat
/apps/github
"""


@pytest.mark.parametrize(
    ("path", "whose"),
    [
        ("README.md", ("@global-owner1", "@global-owner2")),
        ("src/a.js", ("@js-owner",)),
        ("deep/down/a.go", ("docs@example.com",)),
        ("a.txt", ("@octo-org/octocats",)),
        ("build/logs/x/y.c", ("@octocat",)),
        ("lib/apps/x.c", ("@octocat",)),
        ("docs/getting-started.md", ("@doctocat",)),
        ("scripts/run", ("@doctocat", "@octocat")),
        ("deeply/nested/logs/x", ("@octocat",)),
        ("apps/x", ("@octocat",)),
        ("apps/github", ()),
        ("apps/github/x", ()),
    ],
)
def test_the_last_line_that_matches_says_whose_a_path_is(path: str, whose: tuple[str, ...]) -> None:
    assert owners_in(DOCUMENTED, path) == whose


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("docs/*", "docs/a.md", True),
        ("docs/*", "docs/build/a.md", False),
        ("/docs/", "x/docs/a.md", False),
        ("docs/", "x/docs/a.md", True),
        ("docs/", "docs", False),
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/x/y/b/c", True),
        ("*.py", "a.PY", False),
        ("?.py", "é.py", True),
        (r"my\ docs/", "my docs/a", True),
        ("/café/", "café/a", True),
        ("a.c", "abc", False),
        ("/a", "a/b", True),
        ("/a", "ab", False),
    ],
)
def test_a_pattern_means_what_it_means_at_github(pattern: str, path: str, matches: bool) -> None:
    assert owners_in(f"{pattern} @me", path) == (("@me",) if matches else ())


def test_owners_of_several_paths_are_put_together_each_once() -> None:
    text = "/a @Zoe @octo/team\n/b @adam @zoe\n"
    assert owners_in(text, "a", "b") == ("@adam", "@octo/team", "@zoe")


@pytest.mark.parametrize(
    "line",
    [
        "!/a @x",
        "/[ab] @x",
        "[Section] @x",
        "^[Optional section]",
        "\\#a @x",
        "/a\\",
        "/a\0 @x",
        "/" + "a" * MOST_PATTERN_BYTES + " @x",
        "*a" * (MOST_STARS + 1) + " @x",
    ],
)
def test_a_line_that_is_none_of_github_s_is_left_out_and_counted(line: str) -> None:
    rules = read_owners(f"* @all\n{line}\n".encode())
    one = about("a", "a")
    assert rules.left_out == 1
    assert owners_of(rules, [one])[one.path] == ("@all",)


def test_what_is_said_behind_a_hash_is_nobody() -> None:
    assert owners_in("/a @me # ask @you", "a") == ("@me",)
    assert owners_in("# /a @you\n   # /a @you\n", "a") == ()


def test_odd_line_ends_make_no_rule() -> None:
    assert owners_in("/a @me\u2028/a @you\x0b/a @she", "a") == ("@me", "@she", "@you")
    assert owners_in("\ufeff/a @me\r\n/b @you\r\n", "a", "b") == ("@me", "@you")


def test_lines_and_owners_are_bounded() -> None:
    rules = read_owners(b"/a @x\n" * (MOST_LINES + 7))
    assert (rules.count, rules.left_out) == (MOST_LINES, 7)
    many = " ".join(f"@o{number}" for number in range(MOST_OWNERS + 1))
    assert len(owners_in(f"/a {many}", "a")) == MOST_OWNERS


def test_a_pattern_that_would_backtrack_is_matched_in_linear_time_c131() -> None:
    """C131: by Python's own engine this takes minutes."""
    rules = read_owners(b"*a" * MOST_STARS + b"b @x\n" + b"/**/a/**/a/**/b/x @y\n")

    def seconds(length: int) -> float:
        asked = [about(str(number), f"{'a' * length}/{'a/' * length}{number}") for number in range(20)]
        start = time.perf_counter()
        owners_of(rules, asked)
        return time.perf_counter() - start

    seconds(10)
    best = [min(seconds(length) for _ in range(3)) for length in (1_000, 2_000, 4_000)]
    assert all(later < 5 * earlier for earlier, later in pairwise(best)), best


def test_looking_up_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owners, "MOST_LOOK_UPS", 5)
    rules = read_owners(b"/a @a\n/b @b\n")
    found = owners_of(rules, [about("1", "a", "b"), about("2", "b", "a"), about("3", "c"), about("4", "a")])
    assert list(found) == [".ophiuchus/1.json", ".ophiuchus/2.json"]


# What a capsule is about.


def test_what_changed_says_what_a_capsule_is_about() -> None:
    changed = glob("src/**", {"src/pay.py": Change.CONTENT, "src/new.py": Change.ADDED})
    known = condition(Verdict.PARTIALLY_STALE, changed, glob("docs/**"))
    by_anchor = condition(Verdict.STALE, glob("lib/**", result=GlobResult.CHANGED, changed_count=None))
    optional = condition(Verdict.STALE, glob("x", {"x": Change.DELETED}), required=False)
    one = capsule("a", Aggregate.STALE, known, by_anchor, optional)
    assert list(watched_paths(one)) == ["src/pay.py", "src/new.py", "lib/**"]


def test_without_a_change_what_it_declares_says_so_else_its_file() -> None:
    deadline = condition(Verdict.STALE, kind="time_window")
    valid = condition(Verdict.VALID, glob("src/**"), glob("docs/"))
    assert list(watched_paths(capsule("a", Aggregate.STALE, deadline, valid))) == ["src/**", "docs/"]
    assert list(watched_paths(capsule("a", Aggregate.STALE, deadline))) == [".ophiuchus/a.json"]


@pytest.mark.parametrize(
    ("declared", "whose"), [("src/**", ("@src",)), ("src/**/*.py", ("@py",)), ("docs/", ("@docs",))]
)
def test_a_glob_belongs_to_whoever_owns_a_path_of_its_form(declared: str, whose: tuple[str, ...]) -> None:
    rules = read_owners(b"/src/ @src\n*.py @py\n/docs/ @docs\n")
    one = capsule("a", Aggregate.STALE, condition(Verdict.VALID, glob(declared)))
    assert owners_of(rules, [one])[one.path] == whose


@given(st.binary(max_size=300) | st.text(alphabet="*/[]\\!#@a \n\tü", max_size=200).map(str.encode))
def test_any_bytes_are_rules_or_left_out(content: bytes) -> None:
    one = about("a", "a/b.py", "src/**", "ü b")
    rules = read_owners(content)
    assert rules.count + rules.left_out <= content.count(b"\n") + 1
    for name in owners_of(rules, [one])[one.path]:
        assert name.encode().split() == [name.encode()]
        assert "@" in name
