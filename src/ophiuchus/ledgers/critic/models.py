"""Which model is to criticise another's work: one of the opposite tier, and never silently the same one.

DEC-0104 §5. Where a second model cannot be had the review goes on with one model and three lenses, and says
so: degraded is a fact about a review, no reason to stop it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from ophiuchus.ledgers.critic.reasons import CriticReason
from ophiuchus.ledgers.settings import LedgerSettings, Tier

OPPOSITE: Mapping[Tier, Tier] = {
    Tier.STRONG: Tier.CHEAP,
    Tier.BALANCED: Tier.CHEAP,
    Tier.CHEAP: Tier.STRONG,
}
"""Which tier criticises which."""

FAST, INHERIT = "fast", "inherit"
"""The aliases that every editor of this kind has: its cheap model, and the one that is in use."""
_NO_MODEL = ("", "none", "omit", INHERIT)


@dataclass(frozen=True, slots=True)
class CriticChoice:
    """Who criticises whom. `degraded`: both are one model; `reason` says why, None where all is well."""

    producer_model_id: str
    producer_tier: Tier
    critic_model_id: str
    critic_tier: Tier
    degraded: bool
    reason: CriticReason | None


def select_critic_model(
    producer_model_id: str, settings: LedgerSettings, wanted: str | None = None
) -> CriticChoice:
    """The critic for a producer; an empty id is the model in use. `wanted` is one that the caller insists on.

    - CROSS_MODEL_DEGRADED_MODE: the model that is wanted is the producer's.
    - CROSS_MODEL_CRITIC_MODEL_UNAVAILABLE: the catalog has no model of the opposite tier.
    - CROSS_MODEL_MODEL_COLLISION: the producer is the only model of that tier.
    """
    producer = producer_model_id.strip() or INHERIT
    tier = _tier_of(producer, settings)
    opposite = OPPOSITE[tier]
    if wanted:
        if same_model(wanted, producer):
            return _degraded(producer, tier, CriticReason.DEGRADED_MODE)
        return CriticChoice(producer, tier, wanted, _tier_of(wanted, settings), degraded=False, reason=None)
    if settings.use_catalog:
        known = settings.catalog.get(opposite, ())
        if not known:
            return _degraded(producer, tier, CriticReason.CRITIC_MODEL_UNAVAILABLE)
        for model in known:
            if not same_model(model, producer):
                return CriticChoice(producer, tier, model, opposite, degraded=False, reason=None)
        return _degraded(producer, tier, CriticReason.MODEL_COLLISION)
    critic = FAST if opposite is Tier.CHEAP else INHERIT
    return CriticChoice(producer, tier, critic, opposite, degraded=False, reason=None)


@lru_cache(maxsize=1024)
def same_model(one: str, other: str) -> bool:
    """Whether two ids name one model, as far as ids can tell."""
    return _normal(one) == _normal(other)


def _degraded(producer: str, tier: Tier, reason: CriticReason) -> CriticChoice:
    return CriticChoice(producer, tier, producer, tier, degraded=True, reason=reason)


def _tier_of(model: str, settings: LedgerSettings) -> Tier:
    if settings.use_catalog:
        for tier in Tier:
            if any(same_model(known, model) for known in settings.catalog.get(tier, ())):
                return tier
    return {FAST: Tier.CHEAP, INHERIT: Tier.BALANCED}.get(_normal(model), Tier.STRONG)


def _normal(model: str) -> str:
    token = model.strip().lower()
    return INHERIT if token in _NO_MODEL else token
