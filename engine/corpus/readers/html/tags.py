"""Groups of HTML tags that the reader of web pages treats alike."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEVER_TEXT = _words(
    """script style noscript template svg math iframe object embed applet canvas audio video map
    nav footer aside button input select option textarea datalist dialog menu rt rp head"""
)
"""Elements that hold no text of the page's own, wherever they stand."""
LANDMARKS = _words("navigation banner contentinfo search complementary menu menubar")
"""Roles of the same kind."""
BLOCKS = _words(
    """address article blockquote body caption center dd details div dl dt fieldset figcaption
    figure form h1 h2 h3 h4 h5 h6 header hr legend li main ol p pre section summary table tbody td
    tfoot th thead tr ul"""
)
"""Elements that begin on a new line."""
MAY_BE_LINKS = _words(
    """article center div dl form header li main ol p section span table tbody td tr ul"""
)
"""Elements that pages use for lists of links."""
SUBHEADINGS = _words("h2 h3 h4 h5 h6")
