"""The screens that list and edit systems, judges and models, as `ragdesk.toml` has them."""
