"""Publishing: a verified hand-off put where a team works, once, with a receipt for each write."""
