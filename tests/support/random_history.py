"""Random histories for oracle tests: merges, side branches, odd names, links, modes, submodules."""

from __future__ import annotations

import random

from git_repository import FIRST_COMMIT_AT, Repository

SEGMENTS = [b"src", b"lib", b"a", b"b", b"[id]", b"x.py", b"y.py", b"z.md", b".hid", b"caf\xc3\xa9",
            b"bad\xff", b"new\nline", b"tab\tx", b'q"q', b"-dash", b"a b", b"[", b"back\\slash", b"*star",
            b"Src", b"src.py", b"sub", b".ophiuchus", b":x", b"#1"]  # fmt: skip
MODES = [b"100644"] * 8 + [b"100755", b"120000", b"160000"]

Tree = dict[bytes, tuple[bytes, bytes]]
"""Path to mode and content (for a submodule the id it points to)."""


def build_history(repository: Repository, seed: int, commits: int, id_length: int = 40) -> list[str]:
    """Make `commits` commits with merges and side branches; HEAD is the last one. Their ids, oldest first."""
    chance = random.Random(seed)
    stream = bytearray()
    trees: list[Tree] = []
    for number in range(commits):
        parents = [] if number == 0 else [chance.choice([number - 1, number - 1, chance.randrange(number)])]
        if number > 2 and chance.random() < 0.2:
            parents.append(chance.choice([one for one in range(number) if one not in parents]))
        tree = _changed(trees[parents[0]] if parents else {}, chance, id_length)
        trees.append(tree)
        # Now and then a clock is wrong.
        date = FIRST_COMMIT_AT + 60 * (number if chance.random() < 0.9 else chance.randrange(commits))
        stream += b"commit refs/heads/c%d\nmark :%d\n" % (number, number + 1)
        stream += b"committer a <a@example.invalid> %d +0000\ndata 1\nx\n" % date
        if parents:
            stream += b"from :%d\n" % (parents[0] + 1)
        stream += b"".join(b"merge :%d\n" % (parent + 1) for parent in parents[1:])
        stream += b"deleteall\n"
        for path, (mode, content) in sorted(tree.items()):
            stream += _entry(path, mode, content)
        stream += b"\n"
    repository.git("fast-import", "--quiet", stdin=bytes(stream))
    repository.git("symbolic-ref", "HEAD", f"refs/heads/c{commits - 1}")
    return [repository.git("rev-parse", f"refs/heads/c{number}") for number in range(commits)]


def _entry(path: bytes, mode: bytes, content: bytes) -> bytes:
    quoted = b'"' + b"".join(b"\\%03o" % byte for byte in path) + b'"'
    if mode == b"160000":
        return b"M 160000 %b %b\n" % (content, quoted)
    return b"M %b inline %b\ndata %d\n%b\n" % (mode, quoted, len(content), content)


def _changed(before: Tree, chance: random.Random, id_length: int) -> Tree:
    tree = dict(before)
    for _ in range(chance.choice([0, 1, 1, 2, 3, 8]) if tree else 60):
        if tree and chance.random() < 0.6:
            path = chance.choice(sorted(tree))
            what = chance.random()
            if what < 0.25:
                del tree[path]
                continue
            # Often back to what it once was; sometimes the mode alone changes.
            mode, content = tree[path]
            if what < 0.75 and mode != b"160000":
                tree[path] = (mode, b"%d" % chance.randrange(3))
                continue
        else:
            path = b"/".join(chance.choice(SEGMENTS) for _ in range(chance.choice([1, 2, 2, 3, 4])))
            mode, content = b"", b"0"
        mode = chance.choice(MODES)
        if mode == b"160000":
            content = b"%0*x" % (id_length, chance.randrange(1, 4))
        elif len(content) == id_length:
            content = b"0"
        for other in list(tree):
            if other.startswith(path + b"/") or path.startswith(other + b"/"):
                del tree[other]
        tree[path] = (mode, content)
    return tree


def random_glob(chance: random.Random, paths: list[bytes]) -> str:
    """A glob that has to do with one of `paths`, as text (bytes that are not UTF-8 become `?`)."""
    names = chance.choice(paths).split(b"/")
    kind = chance.random()
    if kind < 0.3:
        spelled = names
    elif kind < 0.45:
        spelled = [*names[: chance.randint(1, len(names))], chance.choice([b"**", b""])]
    elif kind < 0.6:
        spelled = [*names[:-1], chance.choice([b"*", b"*.py", b"?*", b"*s*", b"[a-z]*", b"[!a]*"])]
    elif kind < 0.75:
        spelled = [
            *names[: chance.randrange(len(names))],
            b"**",
            chance.choice([names[-1], b"*.py", b"a", b"*"]),
        ]
    elif kind < 0.85:
        spelled = [chance.choice([b"*", b"**", b"?rc", name]) for name in names]
    elif kind < 0.95:
        spelled = [chance.choice(SEGMENTS) for _ in range(chance.randint(1, 3))]
    else:
        spelled = [b"**"]
    return b"/".join(spelled).replace(b"\xff", b"?").decode("utf-8")
