"""Model endpoints: providers, the calls to them, and the limits of those calls."""
