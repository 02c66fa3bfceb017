"""The reason codes of DEC-0105 §9, all of them."""

from __future__ import annotations

from enum import StrEnum


class MemoryReason(StrEnum):
    """Why the memory said no, left something out, or did nothing."""

    DISABLED = "SOVEREIGN_MEMORY_DISABLED"
    SCHEMA_INVALID = "SOVEREIGN_MEMORY_SCHEMA_INVALID"
    APPEND_FAILED = "SOVEREIGN_MEMORY_APPEND_FAILED"
    DECISION_DUPLICATE = "SOVEREIGN_MEMORY_DECISION_DUPLICATE"
    SECRET_DETECTED = "SOVEREIGN_MEMORY_SECRET_DETECTED"  # noqa: S105 - a code, no secret
    ARCHIVE_REQUIRED = "SOVEREIGN_MEMORY_ARCHIVE_REQUIRED"
    READ_BOUND = "SOVEREIGN_MEMORY_READ_BOUND"
    PROMOTION_SKIPPED = "SOVEREIGN_MEMORY_PROMOTION_SKIPPED"


class MemoryNotice(StrEnum):
    """What is worth saying of rows though nothing is wrong, beside what reading tells."""

    REPEATED_LINE = "repeated_line"
    UNKNOWN_FIELD = "unknown_field"
    NO_LEDGER = "no_ledger"
