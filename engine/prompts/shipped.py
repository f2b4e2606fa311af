"""Definitions that come with the program, one JSON file each: taxonomies and forms."""

from __future__ import annotations

from importlib import resources

from store.messages import no_such


def shipped_keys(package: str, folder: str) -> tuple[str, ...]:
    """Keys of the definitions in a folder of a package, sorted: the files' names."""
    files = resources.files(package).joinpath(folder).iterdir()
    return tuple(sorted(file.name[:-5] for file in files if file.name.endswith(".json")))


def read_shipped(package: str, folder: str, key: str, what: str) -> bytes:
    """The file of that key. Raises NotFound naming those that exist; `what` says what they are."""
    if key not in (have := shipped_keys(package, folder)):
        raise no_such(what, key, have, "These come with ragdesk")
    return resources.files(package).joinpath(folder, f"{key}.json").read_bytes()
