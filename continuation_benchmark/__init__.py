"""The continuation benchmark: does what a hand-off says change how somebody goes on? Evaluation tooling only.

No part of the wheel, the image or the command line. See docs/continuation-benchmark.md.
"""

from __future__ import annotations
