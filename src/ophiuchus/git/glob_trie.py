"""Many patterns matched at once: one trie of segments that every folder and name is walked through once.

Only globs with wildcards come here; plain paths and folders need no more than a look-up (`selection`). What
the walk costs follows the paths, not the number of globs: children are found by the name's suffix or by a
rare run of bytes, and a budget ends what is still too much (design §4, C131).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from ophiuchus.git.globs import ANY_DEPTH, CAPSULE_FOLDER, WILDCARD, Glob
from ophiuchus.git.segment import Segment

MOST_WORK = 10_000_000
"""Most tests and matches in one walk; about two seconds."""
_GRAM = 3
_FEW = 8
"""So many wildcards under one node are quicker tested than looked up."""


def is_indexed(segment: bytes) -> bool:
    """Whether a segment's matches are found without testing every name: it has a run of bytes to look up."""
    if segment == ANY_DEPTH or not WILDCARD.search(segment):
        return True
    ready = Segment(segment)
    return ready.suffix is not None or any(len(run) >= _GRAM for run in ready.runs)


class TooMuchWork(Exception):
    """Matching took more than `MOST_WORK` steps."""


class _Node:
    """A place in the trie: what may follow, and the globs (numbers) that end here."""

    __slots__ = ("any_depth", "below", "ends", "literal", "wild")

    def __init__(self) -> None:
        self.literal: dict[bytes, _Node] | None = None
        self.wild: _WildChildren | None = None
        self.any_depth: _Node | None = None
        self.ends: tuple[int, ...] = ()
        self.below: tuple[int, ...] = ()

    def named(self, name: bytes) -> _Node:
        """The child that is reached by exactly `name`, made if it is new."""
        if self.literal is None:
            self.literal = {}
        found = self.literal.get(name)
        if found is None:
            found = self.literal[name] = _Node()
        return found


class _WildChildren:
    """The children of a node that are reached by a segment with wildcards."""

    __slots__ = ("_by_gram", "_by_suffix", "_gram_lengths", "_others", "children")

    def __init__(self) -> None:
        self.children: list[tuple[Segment, _Node]] = []
        self._by_suffix: dict[bytes, list[_Node]] | None = None

    def by_suffix(self) -> dict[bytes, list[_Node]]:
        """Those whose segment is one star and plain bytes behind it, by these bytes."""
        if self._by_suffix is None:
            self._index()
        return self._by_suffix or {}

    def has_others(self) -> bool:
        """Whether there are children with other segments, that `find` looks for."""
        return bool(self._others or self._by_gram)

    def _index(self) -> None:
        self._by_suffix = {}
        self._by_gram: dict[bytes, list[tuple[Segment, _Node]]] = {}
        self._others: list[tuple[Segment, _Node]] = []
        for segment, node in self.children:
            if segment.suffix is not None:
                self._by_suffix.setdefault(segment.suffix, []).append(node)
            else:
                self._others.append((segment, node))
        if len(self._others) > _FEW:
            self._others = self._index_by_gram(self._others)
        self._gram_lengths = sorted({len(gram) for gram in self._by_gram})

    def _index_by_gram(self, children: list[tuple[Segment, _Node]]) -> list[tuple[Segment, _Node]]:
        """File each child under the rarest of its runs of up to three bytes; return those without a run."""
        grams = [set(_grams(segment.runs)) for segment, _ in children]
        uses = Counter(gram for found in grams for gram in found)
        without = []
        for child, found in zip(children, grams, strict=True):
            if found:
                rarest = min(found, key=lambda gram: (uses[gram], -len(gram), gram))
                self._by_gram.setdefault(rarest, []).append(child)
            else:
                without.append(child)
        return without

    def find(self, name: bytes, found: list[_Node]) -> int:
        """Append the other children that match `name`; the number of tests that it took."""
        candidates = self._others
        if self._gram_lengths:
            candidates = candidates.copy()
            for length in self._gram_lengths:
                for gram in {name[at : at + length] for at in range(len(name) - length + 1)}:
                    candidates += self._by_gram.get(gram, ())
        for segment, node in candidates:
            if segment.matches(name):
                found.append(node)
        return len(candidates)


def _grams(runs: Iterable[bytes]) -> Iterator[bytes]:
    for run in runs:
        length = min(len(run), _GRAM)
        yield from (run[at : at + length] for at in range(len(run) - length + 1))


class _Folder:
    """Where the walk stands in one folder.

    `staying` are the nodes that also continue from every folder below, because a `**` led to them; the rest
    is what all nodes that continue here have, put together: plain names, suffixes, other wildcards.
    """

    __slots__ = ("by_suffix", "empty", "name", "names", "others", "staying", "suffix_lengths", "tests")

    def __init__(self, name: bytes, reached: Iterable[_Node], staying: Iterable[_Node]) -> None:
        self.name = name
        self.staying = dict.fromkeys(staying)
        self.staying |= dict.fromkeys(node.any_depth for node in reached if node.any_depth is not None)
        nodes = dict.fromkeys([*reached, *self.staying])
        self.names = [node.literal for node in nodes if node.literal]
        wild = [node.wild for node in nodes if node.wild is not None]
        self.by_suffix = _merged([children.by_suffix() for children in wild])
        self.suffix_lengths = sorted({len(suffix) for suffix in self.by_suffix})
        self.others = [children.find for children in wild if children.has_others()]
        self.tests = len(self.names) + len(self.suffix_lengths)
        self.empty = not self.names and not wild

    def holds(self, folder: bytes) -> bool:
        """Whether `folder` is this one or lies below it."""
        return not self.name or folder == self.name or folder.startswith(self.name + b"/")

    def step(self, name: bytes) -> tuple[list[_Node], int]:
        """The nodes that `name` leads to, some perhaps twice, and the number of tests that it took."""
        reached: list[_Node] = []
        tests = self.tests
        for literal in self.names:
            named = literal.get(name)
            if named is not None:
                reached.append(named)
        end = len(name)
        for length in self.suffix_lengths:
            if length <= end and (nodes := self.by_suffix.get(name[end - length :])):
                reached += nodes
        for find in self.others:
            tests += find(name, reached)
        return reached, tests


def _merged(tables: list[dict[bytes, list[_Node]]]) -> dict[bytes, list[_Node]]:
    """All tables in one; the one itself where there is but one."""
    if len(tables) == 1:
        return tables[0]
    merged: dict[bytes, list[_Node]] = {}
    for table in tables:
        for suffix, nodes in table.items():
            merged[suffix] = merged.get(suffix, []) + nodes
    return merged


class GlobTrie:
    """All PATTERN globs among `globs`, known by their place in it."""

    def __init__(self, globs: Sequence[Glob]) -> None:
        self._root = _Node()
        self._segments: dict[bytes, Segment] = {}
        for number, glob in enumerate(globs):
            if glob.segments:
                self._add(number, glob.segments)

    def _add(self, number: int, segments: tuple[bytes, ...]) -> None:
        node = self._root
        below = segments[-1] == ANY_DEPTH
        for segment in segments[:-1] if below else segments:
            if segment == ANY_DEPTH:
                if node.any_depth is None:
                    node.any_depth = _Node()
                node = node.any_depth
            elif WILDCARD.search(segment):
                node = self._wild_child(node, segment)
            else:
                node = node.named(segment)
        if below:
            node.below += (number,)
        else:
            node.ends += (number,)

    def _wild_child(self, node: _Node, text: bytes) -> _Node:
        # By our addition the segment is a name as well; no plain segment can have the same spelling.
        known = len(node.literal) if node.literal else 0
        child = node.named(text)
        if node.literal is None or len(node.literal) == known:
            return child
        segment = self._segments.get(text)
        if segment is None:
            segment = self._segments[text] = Segment(text)
        if node.wild is None:
            node.wild = _WildChildren()
        node.wild.children.append((segment, child))
        return child

    def walk(self, paths: Iterable[bytes]) -> tuple[dict[int, list[int]], dict[int, list[bytes]]]:
        """By glob number: the places of paths that it matches, and the folders below which it matches all.

        `paths` are well-formed and in byte order; so are places and folders. Raises TooMuchWork.
        """
        places: defaultdict[int, list[int]] = defaultdict(list)
        folders: defaultdict[int, list[bytes]] = defaultdict(list)
        trail = [_Folder(b"", [self._root], [])]
        current = trail[0]
        work = 0
        for place, path in enumerate(paths):
            cut = path.rfind(b"/")
            folder = path[:cut] if cut > 0 else b""
            if folder != current.name:
                while not trail[-1].holds(folder):
                    trail.pop()
                while trail[-1].name != folder:
                    reached, tests = self._descend(trail, folder)
                    work += tests
                    for node in reached:
                        work += len(node.below)
                        for number in node.below:
                            folders[number].append(trail[-1].name)
                current = trail[-1]
            if current.empty:
                continue
            reached, tests = current.step(path[cut + 1 :])
            work += tests
            if work > MOST_WORK:
                raise TooMuchWork
            for node in reached if len(reached) < 2 else dict.fromkeys(reached):
                ends = node.ends
                work += len(ends)
                for number in ends:
                    places[number].append(place)
        return places, folders

    def _descend(self, trail: list[_Folder], target: bytes) -> tuple[Iterable[_Node], int]:
        """Go one folder down towards `target`; the nodes that it led to, and the number of tests."""
        origin = trail[-1]
        start = len(origin.name) + 1 if origin.name else 0
        end = target.find(b"/", start)
        name = target if end < 0 else target[:end]
        if name == CAPSULE_FOLDER:
            # Left out but for who names it: no wildcard leads in, and no `**` stays.
            named = (self._root.literal or {}).get(name)
            reached, tests = ([named] if named else []), 1
            trail.append(_Folder(name, reached, []))
            return reached, tests
        found, tests = origin.step(name[start:])
        distinct = dict.fromkeys(found)
        trail.append(_Folder(name, distinct, origin.staying))
        return distinct, tests
