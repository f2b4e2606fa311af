"""The accounts of the host that processes run as and that files belong to."""

from __future__ import annotations

import os
import pwd

from store.errors import UsageError


def account() -> str:
    """The name of the account that this process runs as, whatever the environment says."""
    return account_of(os.geteuid())


def account_of(number: int) -> str:
    """The name of the account with this user id; the id where the host knows no name."""
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


def check_account(name: str) -> None:
    """Raises UsageError for a name that no account of this host has."""
    try:
        pwd.getpwnam(name)
    except KeyError as error:
        raise UsageError(
            f"There is no account {name!r} on this host.", "Its administrator makes accounts."
        ) from error
