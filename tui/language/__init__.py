"""What the interface says, in English or in Chinese: one language at a time.

The interface is written in English and marks what it shows: `tr("...")`. Store and engine speak
English; `read` gives their sentences in the language of whoever reads, also those stored long ago.
The translations are a gettext catalogue, `zh.po`, and its compiled form, both kept up to date by
`docs/languages/update.py`.
"""

from __future__ import annotations

from tui.language.choice import LANGUAGES, language, remember, use_language
from tui.language.translation import later, local_name, read, tr

__all__ = ["LANGUAGES", "language", "later", "local_name", "read", "remember", "tr", "use_language"]
