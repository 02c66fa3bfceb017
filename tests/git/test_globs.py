from __future__ import annotations

import re
import time
from itertools import groupby

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ophiuchus.git.globs import MOST_BYTES, MOST_STARS, RefusedGlob, Shape, accepted_globs, compile_glob
from ophiuchus.git.selection import SortedPaths, select


def matched(glob: str, *paths: str | bytes) -> set[str]:
    """Those of `paths` that `glob` matches."""
    spelled = sorted(path.encode() if isinstance(path, str) else path for path in paths)
    (selection,) = select([compile_glob(glob)], SortedPaths(spelled))
    return {spelled[place].decode("utf-8", "backslashreplace") for place in selection.all_places()}


def matches(glob: str, path: str | bytes) -> bool:
    return bool(matched(glob, path))


TWO = ("src/x.py", "src/a/b/y.py")


@pytest.mark.parametrize(
    ("glob", "paths"),
    [
        ("src/*.py", {"src/x.py"}),
        ("src/**", {"src/x.py", "src/a/b/y.py"}),
        ("src", {"src/x.py", "src/a/b/y.py"}),
        ("src/", {"src/x.py", "src/a/b/y.py"}),
        ("src/**/*.py", {"src/x.py", "src/a/b/y.py"}),
        ("**/*.py", {"src/x.py", "src/a/b/y.py"}),
        ("*.py", set()),
        ("*", set()),
        ("**", {"src/x.py", "src/a/b/y.py"}),
        ("src/*/b/y.py", {"src/a/b/y.py"}),
        ("src/*", {"src/x.py"}),
        ("src/a", {"src/a/b/y.py"}),
        ("src/**/b", set()),
        ("src/**/b/**", {"src/a/b/y.py"}),
    ],
)
def test_c007_there_is_one_rule_for_stars_and_folders(glob: str, paths: set[str]) -> None:
    assert matched(glob, *TWO) == paths


@pytest.mark.parametrize(
    ("glob", "paths"),
    [
        ("**/x", {"x", "a/x", "a/b/x", "a/b/c/x", "ab/x"}),
        ("a/**", {"a/x", "a/b/x", "a/b/c/x", "a/xb"}),
        ("a/**/x", {"a/x", "a/b/x", "a/b/c/x"}),
        ("a/**/b/**", {"a/b/x", "a/b/c/x"}),
        ("a/**/**/x", {"a/x", "a/b/x", "a/b/c/x"}),
        ("**/**", {"x", "a/x", "a/b/x", "a/b/c/x", "ab/x", "a/xb"}),
        ("**/b/*", {"a/b/x"}),
        ("a*/**", {"a/x", "a/b/x", "a/b/c/x", "ab/x", "a/xb"}),
        ("a/b/**/", set()),
    ],
)
def test_trap_02_double_stars(glob: str, paths: set[str]) -> None:
    assert matched(glob, "x", "a/x", "a/b/x", "a/b/c/x", "ab/x", "a/xb") == paths


@pytest.mark.parametrize(
    ("glob", "paths"),
    [
        ("src", {"src/a.py", "src/d/b.py"}),
        ("src/d/", {"src/d/b.py"}),
        ("src/**/", set()),
        ("sr", set()),
        ("file", {"file"}),
        ("file/", set()),
        ("file/**", set()),
        ("sr?", set()),
        ("s*/d", set()),
        ("s*/d/", set()),
        ("s*/d/**", {"src/d/b.py"}),
    ],
)
def test_trap_03_spellings_of_a_folder(glob: str, paths: set[str]) -> None:
    assert matched(glob, "src/a.py", "src/d/b.py", "srcx", "file") == paths


@pytest.mark.parametrize("glob", ["**/*", "config/*", ".git*/**", "**/*.yml", "?github/**", "**/.env*"])
def test_c038_names_with_a_leading_dot_match_like_any_other(glob: str) -> None:
    assert matched(glob, ".github/workflows/ci.yml", "config/.env.example")


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("app/[id]/page.tsx", "app/[id]/page.tsx", True),
        ("app/[id]/page.tsx", "app/i/page.tsx", True),
        ("app/[id]/page.tsx", "app/x/page.tsx", False),
        ("app/[id]/**", "app/[id]/deep/page.tsx", True),
        ("app/[id]", "app/[id]/deep/page.tsx", True),
        ("app/[id]/*.tsx", "app/[id]/page.tsx", True),
        ("app/[[]id]/page.tsx", "app/[id]/page.tsx", True),
        (r"app/\[id\]/page.tsx", "app/[id]/page.tsx", True),
        (r"app/\[id\]/page.tsx", r"app/\[id\]/page.tsx", True),
        (r"app/\[id\]/page.tsx", "app/i/page.tsx", False),
        ("app/[!i]/page.tsx", "app/i/page.tsx", False),
        ("app/[!i]/page.tsx", "app/x/page.tsx", True),
        ("app/[^i]/page.tsx", "app/x/page.tsx", True),
        ("app/[a-k]/page.tsx", "app/i/page.tsx", True),
        ("app/[[:alpha:]]/page.tsx", "app/i/page.tsx", True),
        ("app/[[:nonsense:]]/page.tsx", "app/i/page.tsx", False),
        ("app/[I]/page.tsx", "app/i/page.tsx", False),
        ("f[0-9].txt", "f1.txt", True),
        ("f[.txt", "f[.txt", True),
        ("f[.txt", "f1.txt", False),
        ("f[]1].txt", "f1.txt", True),
        ("f[]1].txt", "f].txt", True),
        ("f[!]1].txt", "f1.txt", False),
        ("f[1", "f1", False),
        ("f[1", "f[1", True),
        ("f[9-0].txt", "f5.txt", False),
        ("f[!9-0].txt", "f5.txt", True),
        (r"f[\]].txt", "f].txt", True),
        ("f[a-]x", "f-x", True),
        (r"f[a-\c]x", "fbx", True),
        ("[", "[", True),
        ("?", "ab", False),
        ("a?c", "abc", True),
        ("*a*b*", "xaxbx", True),
        ("*a*b*", "xbxax", False),
        ("a*a", "a", False),
        ("ab*ba", "aba", False),
        (r"back\slash", "backslash", True),
        (r"back\slash", r"back\slash", True),
        (r"back\\slash", r"back\slash", True),
        ("tail\\", "tail\\", True),
        ("tail\\", "tail", False),
        (r"star\*", "star*", True),
        (r"star\*", "starx", False),
        (r"**/a\**", "d/a*b", True),
        ("[**]x", "*x", True),
    ],
)  # fmt: skip
def test_c091_trap_06_brackets_are_tried_literally_too(glob: str, path: str, expected: bool) -> None:
    assert matches(glob, path) is expected


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("caf\u00e9.md", "caf\u00e9.md", True),
        ("caf\u00e9.md", "cafe\u0301.md", False),
        ("caf?.md", "caf\u00e9.md", False),
        ("caf??.md", "caf\u00e9.md", True),
        ("*.md", b"bad\xff.md", True),
        ("readme.md", "README.md", False),
        ("a b/*", "a b/c", True),
        ("'a'", "'a'", True),
        ("-dash", "-dash", True),
        ("--output=x", "--output=x", True),
        ("new\nline", "new\nline", True),
        ("n*e", "new\nline", True),
        ("tab\t*", "tab\tx", True),
    ],
)
def test_c028_traps_09_11_37_names_are_bytes(glob: str, path: str | bytes, expected: bool) -> None:
    assert matches(glob, path) is expected


@pytest.mark.parametrize(
    ("glob", "words"),
    [
        ("", "empty"),
        ("/", "absolute"),
        ("/src", "absolute"),
        ("C:\\src", "absolute"),
        ("C:/src", "absolute"),
        (".", "'.'"),
        ("..", "'..'"),
        ("./src", "'.'"),
        ("src/../x", "'..'"),
        ("../x", "'..'"),
        ("src/.", "'.'"),
        ("src//a", "empty"),
        ("src//", "empty"),
        ("a//**", "empty"),
        ("*//x", "empty"),
        ("a\0b", "NUL"),
        (":!src", "':'"),
        (":(exclude)src", "':'"),
        (":/", "':'"),
        (":", "':'"),
        ("!src/**", "'!'"),
        ("src/{a,b}.ts", "braces"),
        ("src/*.{ts,tsx}", "braces"),
        ("{a/b,c}/x", "braces"),
        (".git", ".git"),
        (".git/config", ".git"),
        ("a/.GIT/x", ".git"),
        ("a/.git/**", ".git"),
        ("a**", "glued"),
        ("**x", "glued"),
        ("***/x", "glued"),
        ("a/**b", "glued"),
        ("a/x**/b", "glued"),
        ("f[a/1].txt", "'/'"),
        ("a\\/b", "'/'"),
        ("a" * 1025, "1024"),
        ("ä" * 513, "1024"),
        ("*a" * 9, "8"),
        ("\ud800", "Unicode"),
    ],
)
def test_c017_c091_what_is_no_path_below_the_top_is_refused_with_its_reason(glob: str, words: str) -> None:
    with pytest.raises(RefusedGlob) as caught:
        compile_glob(glob)
    assert words in caught.value.reason


@pytest.mark.parametrize(
    "glob",
    ["a" * 1024, "*a" * 8, "{a}", "src/{{ name }}/x", r"\{a,b\}", ".gitignore", ".github/**", "a.git/b",
     "...", "a:b", "a!b", "c:", "~/x", "src\\a", "'", '"', "[", "[!", "[[:", "\\", "*/*/*", "@(a|b).ts"],
)  # fmt: skip
def test_what_only_looks_odd_is_accepted(glob: str) -> None:
    assert compile_glob(glob).text == glob


@pytest.mark.parametrize(
    ("glob", "sees"),
    [
        ("**", False),
        ("*/**", False),
        ("**/*.json", False),
        ("*", False),
        (".oph*/**", False),
        ("[.]ophiuchus/**", False),
        ("?ophiuchus/*", False),
        (".ophiuchus", True),
        (".ophiuchus/**", True),
        (".ophiuchus/**/*.json", True),
        (".ophiuchus/sub/*.json", True),
        (".ophiuchus/*/a.json", True),
        (".ophiuchus/", True),
    ],
)
def test_the_capsule_folder_is_left_out_unless_the_first_segment_names_it(glob: str, sees: bool) -> None:
    assert matches(glob, ".ophiuchus/sub/a.json") is sees
    assert matched("**", ".ophiuchus/a", ".ophiuchus", "x/.ophiuchus/a", ".ophiuchusx/a") == {
        ".ophiuchus", "x/.ophiuchus/a", ".ophiuchusx/a"
    }  # fmt: skip


def test_what_stands_before_and_behind_the_capsule_folder_is_matched() -> None:
    paths = (".a", ".ophiuchus/a", ".ophiuchus/z/b", ".z", "zz/y")
    assert matched("**", *paths) == {".a", ".z", "zz/y"}
    assert matched("**/*", *paths) == {".a", ".z", "zz/y"}


@pytest.mark.parametrize(
    ("glob", "shape", "prefix"),
    [
        ("a/b", Shape.ITSELF_OR_BELOW, b"a/b"),
        ("a/b/", Shape.BELOW, b"a/b"),
        ("a/b/**", Shape.BELOW, b"a/b"),
        ("a/b/**/**", Shape.BELOW, b"a/b"),
        ("**", Shape.BELOW, b""),
        ("a/b/*.py", Shape.PATTERN, b"a/b"),
        ("a/**/c/d", Shape.PATTERN, b"a"),
        ("*/b", Shape.PATTERN, b""),
        (".a/b/**", Shape.BELOW, b".a/b"),
        (".a/b", Shape.ITSELF_OR_BELOW, b".a/b"),
        (".a/b/", Shape.BELOW, b".a/b"),
    ],
)
def test_shapes_and_literal_prefixes(glob: str, shape: Shape, prefix: bytes) -> None:
    compiled = compile_glob(glob)
    assert compiled.shape is shape
    assert compiled.literal_prefix == prefix


# Pieces of a glob, and what each is once escapes and classes are drawn as a letter.
DRAWN = {"\\*": "x", "[*]": "x", "[]{]": "x", "\\.": "x", "[a,]": "x", "\\\\": "x"}
DRAWN |= {
    piece: piece for piece in ("*", "**", "?", "/", "/", ".", ".git", ".GIT", "git", "a", "b", "\n", "é")
}
DRAWN |= {
    piece: piece for piece in ("{", "}", ",", "{a,", ",b}", ":", "!", "/**", "/**/", "*a*a*a*a", "$", " ")
}


def reason_against(glob: str, drawn: str) -> str | None:
    """What a glob is refused for, by one careful look after the other; None where it is accepted."""
    if not glob:
        return "is empty"
    if glob[0] in ":!":
        return f"starts with '{glob[0]}'"
    if glob[0] == "/" or (glob[0] in "ab" and glob[1:3] in (":/", ":\\")):
        return "absolute"
    for behind in drawn.split("{")[1:]:
        group, closed, _ = behind.partition("}")
        if closed and "," in group:
            return "has braces"
    for name, segment in zip(
        glob.removesuffix("/").split("/"), drawn.removesuffix("/").split("/"), strict=True
    ):
        if name in ("", ".", ".."):
            return "empty, '.' or '..'"
        if name.lower() == ".git":
            return "names .git"
        if segment != "**" and "**" in segment:
            return "glued"
        if segment != "**" and segment.count("*") > MOST_STARS:
            return "more than"
    return None


def careful_shape(glob: str) -> tuple[Shape, str, list[str]]:
    """Shape, path and segments of an accepted glob, read segment by segment."""
    path = glob.removesuffix("/")
    runs = ((name, list(run)) for name, run in groupby(path.split("/")))
    segments = [one for name, run in runs for one in ([name] if name == "**" else run)]
    is_plain = [not set(segment) & set("*?[\\") for segment in segments]
    if path != glob:
        return Shape.BELOW, path, []
    if all(is_plain):
        return Shape.ITSELF_OR_BELOW, path, []
    if segments[-1] == "**" and all(is_plain[:-1]):
        return Shape.BELOW, "/".join(segments[:-1]), []
    return Shape.PATTERN, path, segments


@given(st.lists(st.sampled_from(sorted(DRAWN)), max_size=9))
@example(["a", "/", "b", "/**/"])
@example(["/**", "/**", "/**"])
@example(["*a*a*a*a", "/", "*a*a*a*a", "*"])
@example(["*a*a*a*a", "*a*a*a*a", "*"])
@example([".git", "\n"])
@example([".", "\n"])
@settings(max_examples=500)
def test_the_quick_looks_at_a_glob_come_to_what_a_look_at_each_segment_does(pieces: list[str]) -> None:
    glob, drawn = "".join(pieces), "".join(map(DRAWN.__getitem__, pieces))
    reason = reason_against(glob, drawn)
    if reason is None:
        shape, path, segments = careful_shape(glob)
        assert compile_glob(glob) == (glob, shape, path.encode(), tuple(name.encode() for name in segments))
    else:
        with pytest.raises(RefusedGlob, match=re.escape(reason)):
            compile_glob(glob)


def test_forty_thousand_globs_compile_in_far_less_than_a_third_of_a_second_on_a_quiet_machine() -> None:
    globs = [f"services/srv-{number % 97}/src/module_{number}.py" for number in range(30_000)]
    globs += [f"services/srv-{number}/**" for number in range(5_000)]
    globs += [f"services/srv-{number}/*.py" for number in range(5_000)]
    began = time.process_time()
    for glob in globs:
        compile_glob(glob)
    # Ten times what it takes: this machine may be busy.
    assert time.process_time() - began < 2


@pytest.mark.parametrize("ending", ["", "{", "\\]", "/..", ","])
@pytest.mark.parametrize("beginning", ["", "{", "[", "[a-"])
def test_no_long_glob_takes_longer_than_its_length(beginning: str, ending: str) -> None:
    """A capsule may hold five hundred of them."""
    pieces = [
        *"[{,a*?./",
        "[a",
        "[!",
        "[a-",
        "[]",
        "[[:",
        "[[:alpha:",
        "{,",
        "{a",
        "a/",
        "*/",
        "**/",
        "\\[",
        "a{",
    ]
    most = MOST_BYTES - len(beginning) - len(ending)
    globs = [beginning + piece * (most // len(piece)) + ending for piece in pieces]
    began = time.process_time()
    accepted = accepted_globs(globs)
    # Some fifteen times what it takes: this machine may be busy.
    assert time.process_time() - began < 0.5
    assert beginning + "a" * most + ending in {glob.text for glob in accepted} or ending == "/.."


@pytest.mark.parametrize("glob", ["*a*a*a*a*a*a*a*c", "*[ab]*[ab]*[ab]*[ab]*[ab]*[ab]*[ab]*c"])
def test_c131_stars_are_never_tried_one_against_the_other(glob: str) -> None:
    """Eight of them, each of which could stand anywhere, would take years."""
    assert not matches(glob, "a" * 4000)
    assert matches(glob, "a" * 4000 + "c")
