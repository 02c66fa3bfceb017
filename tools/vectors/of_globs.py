"""Vectors about globs: what each form selects, and which forms are not evaluated (design §4)."""

from __future__ import annotations

from collections.abc import Iterator

from vectors.history import History, submodule
from vectors.vector import Vector, capsule, committed, found, glob, judged, notice, paths

_BEFORE = {
    "a.py": "1", "lib/b.py": "1", "lib/deep/c.py": "1", "lib/.hidden": "1", "lib/B.py": "1",
    "app/[id]/page.tsx": "1", "app/i/page.tsx": "1", "docs/x/y/z.md": "1", "docs/z.md": "1", "one": "1",
}  # fmt: skip
_FORMS = {
    "*.py": ["a.py"],
    "lib/*.py": ["lib/b.py", "lib/B.py"],
    "lib/?.py": ["lib/b.py", "lib/B.py"],
    "lib/*": ["lib/.hidden", "lib/B.py", "lib/b.py"],
    "lib/[a-z].py": ["lib/b.py"],
    "lib/[!b].py": ["lib/B.py"],
    "lib/b.py": ["lib/b.py"],
    "**/*.py": ["a.py", "lib/B.py", "lib/b.py", "lib/deep/c.py"],
    "docs/**/z.md": ["docs/x/y/z.md", "docs/z.md"],
    "docs/**": ["docs/x/y/z.md", "docs/z.md"],
    "docs/": ["docs/x/y/z.md", "docs/z.md"],
    "docs": ["docs/x/y/z.md", "docs/z.md"],
    "app/[id]/page.tsx": ["app/[id]/page.tsx", "app/i/page.tsx"],
}
"""Every form, and what it selects of the tree above: all of that changes."""
_REFUSED = {
    "empty": "", "absolute": "/a.py", "dot": "./a.py", "dot-dot": "lib/../a.py", "hole": "lib//b.py",
    "magic": ":(top)a.py", "negated": "!a.py", "braces": "{a,b}.py", "git": ".git/config",
    "class-over-slash": "lib[/]b.py", "glued": "lib/**b", "long": "a" * 1025, "stars": "*a*b*c*d*e*f*g*h*i*",
}  # fmt: skip


def vectors() -> Iterator[Vector]:
    """All of them."""
    yield _forms()
    yield _refused()
    yield _capsule_folder()
    yield _inside_a_submodule()


def _forms() -> Vector:
    history = History()
    base = history.commit(dict(_BEFORE.items()))
    names = {f"form-{number:02}": form for number, form in enumerate(_FORMS)}
    history.commit(
        {
            **dict.fromkeys(_BEFORE, "2"),
            **committed(*(capsule(name, paths(form, base=base)) for name, form in names.items())),
        }
    )
    return Vector(
        name="glob-forms",
        rules=("star", "question-mark", "leading-dot", "class", "double-star", "everything-below",
               "plain-path", "case", "literal-segment", "anchored-at-root"),
        says="What each form selects: as git's own top and glob magic, and every segment literally as well.",
        history=history,
        expect={
            "capsules": [
                found(
                    name,
                    "stale",
                    judged("stale", glob(form, "changed", **dict.fromkeys(selected, "content"))),
                )
                for name, (form, selected) in zip(names, _FORMS.items(), strict=True)
            ]
        },
    )  # fmt: skip


def _refused() -> Vector:
    history = History()
    base = history.commit({"a.py": "1"})
    history.commit(
        committed(*(capsule(name, paths("a.py", form, base=base)) for name, form in _REFUSED.items()))
    )
    return Vector(
        name="refused-globs",
        rules=("refused-forms",),
        says="A form that git reads otherwise, or does not have, is not evaluated.",
        history=history,
        expect={
            "capsules": [
                found(
                    name, "valid",
                    judged("valid", glob("a.py", "unchanged"), {"result": "not_evaluated", "changed": []}),
                )
                for name in _REFUSED
            ],
            "notices": [notice(name, "glob_not_evaluated") for name in _REFUSED],
        },
    )  # fmt: skip


def _capsule_folder() -> Vector:
    history = History()
    base = history.commit({"a": "1"})
    history.commit(
        committed(
            capsule("all", paths("**", base=base)),
            capsule("named", paths(".ophiuchus/**", base=base)),
        )
    )
    return Vector(
        name="capsule-folder",
        rules=("capsule-folder",),
        says="The capsules' own folder is left out unless the glob's first segment names it.",
        history=history,
        expect={"capsules": [found("all", "valid"), found("named", "stale")]},
    )


def _inside_a_submodule() -> Vector:
    history = History()
    base = history.commit({"module": submodule("2" * 40), "other": submodule("2" * 40)})
    history.commit(
        {
            "module": submodule("3" * 40),
            **committed(
                capsule("moved", paths("module/src/**", base=base)),
                capsule("kept", paths("other/src/**", base=base)),
            ),
        }
    )
    return Vector(
        name="inside-a-submodule",
        rules=("submodule-pointer",),
        says="A glob below a submodule follows its pointer, and a notice says so.",
        history=history,
        expect={
            "capsules": [found("moved", "stale"), found("kept", "valid")],
            "notices": [notice("moved", "inside_submodule"), notice("kept", "inside_submodule")],
        },
    )
