"""The screens that list and edit systems, judges and providers, as `ragdesk.toml` has them."""
