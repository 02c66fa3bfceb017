"""Command files: outputs and the job summary, appended to the files that the runner names (platform 3.8).

An output is one line `NAME=VALUE`. Every value comes from a fixed set, a count, an identifier or a path that
the workflow gave, and is checked against its pattern, so no delimiter is needed and none can be forged
(case C097). A file that cannot be written raises OSError; the command says so and goes on.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from ophiuchus.text.problem import ExpectedFailure

OUTPUTS: Mapping[str, re.Pattern[str]] = {
    "verdict": re.compile(r"[a-z_]{1,32}"),
    "passed": re.compile(r"true|false"),
    "counts": re.compile(r"\{(?:\"[a-z_]{1,32}\":\d{1,18}(?:,(?=\")|(?=\})))*\}"),
    "report_path": re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]{0,1024}"),
    "comment_url": re.compile(r"(?:https?://[!-~]{1,1000}#issuecomment-\d{1,20})?"),
    "issue_url": re.compile(r"(?:https?://[!-~]{1,1000}/issues/\d{1,20})?"),
    "view_digest": re.compile(r"(?:[0-9a-f]{64})?"),
    "deliveries": re.compile(
        r"\{(?:\"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\":\"(?:published|ambiguous|failed)\"(?:,(?=\")|(?=\})))*\}"
    ),
}
"""Every output of the action, in the order of action.yml, with what its value must look like."""


class NotAnOutput(ExpectedFailure):
    """A value does not look as this output's values do, so it was not written."""


def append_outputs(path: str, values: Mapping[str, str]) -> None:
    """Append `values` to the outputs file at `path`. Raises NotAnOutput (nothing is written) and OSError."""
    for name, value in values.items():
        if name not in OUTPUTS or OUTPUTS[name].fullmatch(value) is None:
            raise NotAnOutput(f"the value of the output {name} was not written: it has an unexpected form")
    append_text(path, "".join(f"{name}={value}\n" for name, value in values.items()))


def append_text(path: str, text: str) -> None:
    """Append lines of text to the file at `path`, on a line of their own. Raises OSError."""
    if not text.endswith("\n"):
        text += "\n"
    with Path(path).open("a+b") as file:
        if file.seek(0, os.SEEK_END) > 0:
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                text = "\n" + text
        file.write(text.encode("utf-8"))
