from __future__ import annotations

import pytest
from git_repository import Repository

from ophiuchus.git import tree_chain
from ophiuchus.git.scratch import Scratch
from ophiuchus.git.tree_chain import CHANGE_OF, TreeState, compare_trees, extend


def test_what_was_noted_of_a_tree_that_went_over_the_budget_is_forgotten(
    repository: Repository, scratch: Scratch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it would count for the next tree that the chain is taken up with."""
    names = [f"f{number}" for number in range(9)]
    repository.commit(dict.fromkeys(names, "old"))
    far = repository.tree()
    repository.commit(dict.fromkeys(names[1:], "new"))
    near = repository.tree()
    repository.commit({"f0": "new"})
    monkeypatch.setattr(tree_chain, "MOST_EVENTS", 5)
    chain = compare_trees(scratch, repository.tree(), [far])
    assert chain.states[far] is TreeState.OVER_BUDGET
    extend(scratch, chain, [near])
    assert chain.states[near] is TreeState.COMPARED
    places = {path: place for place, path in enumerate(chain.paths)}
    differs = {
        tree: [path for path, place in places.items() if codes[place] in CHANGE_OF]
        for tree, codes in chain.replay(places)
    }
    assert differs == {repository.tree(): [], near: [b"f0"]}
