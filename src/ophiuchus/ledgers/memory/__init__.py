"""The institutional memory of a project (DEC-0105): its four ledgers, archive, digest, retrospectives."""
