"""What a job may spend."""

from __future__ import annotations

from msgspec import Struct

from engine.models.settings import Provider
from store.errors import UsageError


class Budget(Struct, frozen=True, omit_defaults=True):
    """What a job may spend before it pauses; null means no bound. Cached replies are free."""

    max_tokens: int | None = None
    max_cost: float | None = None
    """In the currency of the provider's prices."""

    def check(self, provider: Provider | None) -> None:
        """Raises UsageError for a bound that is not positive, or on money without any prices."""
        for name, bound in (("--max-tokens", self.max_tokens), ("--max-cost", self.max_cost)):
            if bound is not None and not bound > 0:
                raise UsageError(f"{name} is {bound:g}.", "Use a number above 0.")
        if self.max_cost is not None and provider is not None and provider.prices is None:
            raise UsageError(
                f"--max-cost needs prices, and provider {provider.name} states none.",
                f"State them in ragdesk.toml under [providers.{provider.name}.prices], or use"
                " --max-tokens.",
            )

    def changed_by(self, other: Budget) -> Budget:
        """This budget with the bounds that `other` has in place of its own."""
        return Budget(
            self.max_tokens if other.max_tokens is None else other.max_tokens,
            self.max_cost if other.max_cost is None else other.max_cost,
        )
