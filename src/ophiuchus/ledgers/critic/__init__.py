"""The ledger of critics' findings (DEC-0104): its rows, the jury's arithmetic, models, rework, reviews."""
