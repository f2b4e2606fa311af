"""The screens that list and edit the providers of language models."""
