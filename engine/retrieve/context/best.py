"""The first passages alone."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from engine.retrieve.context.changed import changed
from engine.retrieve.stage import ContextTransform, NamedStage


class Options(Struct, frozen=True):
    k: Annotated[int, Meta(ge=1, le=1000)]


def _open(options: Options) -> ContextTransform:
    return changed(lambda passages, state: passages[: options.k])


STAGE = NamedStage(Options, _open)
