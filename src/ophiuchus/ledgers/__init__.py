"""The JSON Lines ledgers that agent loops commit: findings of critics, and institutional memory."""
