"""Writes `composite/action.yml`, the action's twin without Docker, from `action.yml`: `make docs` runs it.

A composite action gets its inputs by expressions and not by variables, and hands each output on by name. Both
are written out here, so that the twin has what the action has.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

PROJECT = Path(__file__).parents[1]
ACTION, TWIN = PROJECT / "action.yml", PROJECT / "composite" / "action.yml"

_HEAD = """\
# Made from ../action.yml by tools/composite_action.py (`make docs`): change that one.
"""
_RUNS = """\
runs:
  using: composite
  steps:
    - name: Install
      id: install
      shell: bash
      run: |
        for python in python3 python; do
          if "$python" -I -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then
            exec "$python" -I "$GITHUB_ACTION_PATH/install.py"
          fi
        done
        echo "::error::Python 3.11 or newer is needed; put actions/setup-python before this step."
        exit 2
    - name: Run
      id: run
      shell: bash
      env:
        OPHIUCHUS_PYTHON: ${{ steps.install.outputs.python }}
        TMPDIR: ${{ runner.temp }}
"""
_RUN = """\
      # The switches keep out the job's PYTHON* variables, the checkout and user folders, as in the image.
      run: exec "$OPHIUCHUS_PYTHON" -IuBXutf8 -m ophiuchus.cli action
"""


def twin(action: str) -> str:
    """The twin of the container action whose file is `action`."""
    read: dict[str, Any] = yaml.safe_load(action)
    head, inputs, outputs = _blocks(action)
    wired = re.sub(r"^  (\w+):\n(?:    .*\n)+", _with_value, outputs, flags=re.MULTILINE)
    given = "".join(f"        INPUT_{name.upper()}: ${{{{ inputs.{name} }}}}\n" for name in read["inputs"])
    return "".join([_HEAD, _renamed(head), inputs, wired, _RUNS, given, _RUN])


def _with_value(output: re.Match[str]) -> str:
    return f"{output[0]}    value: ${{{{ steps.run.outputs.{output[1]} }}}}\n"


def _renamed(head: str) -> str:
    return re.sub(r"^name: .*$", r"\g<0> without Docker", head, count=1, flags=re.MULTILINE)


def _blocks(action: str) -> tuple[str, str, str]:
    """What stands before the inputs, the inputs, and the outputs, each as it is written."""
    head, _, rest = action.partition("inputs:\n")
    inputs, _, rest = rest.partition("outputs:\n")
    outputs, _, _ = rest.partition("runs:\n")
    return head, f"inputs:\n{inputs}", f"outputs:\n{outputs}"


def main() -> None:
    """Write it anew."""
    TWIN.write_text(twin(ACTION.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
