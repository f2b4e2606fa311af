"""The shapes that come in and go out: one module a format, each knowing nothing but files."""
