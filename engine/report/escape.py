"""Text made safe for Markdown, LaTeX and HTML: it is shown as it is, and gives no commands."""

from __future__ import annotations

import html as standard_html
import re

_MARKUP = re.compile(r"([\\`*_\[\]|#~$])|^([+-])|^(\d+)([.)])")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "±": r"$\pm$",
    "–": "--",
    "⋯": r"$\cdots$",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}
_LATEX_SIGNS = re.compile("[" + re.escape("".join(_LATEX)) + "]")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]+")

# what XML forbids, and the controls above ASCII that it only discourages
_ILLEGAL_IN_XML = re.compile("[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def markdown(text: str) -> str:
    """The text for Markdown, on one line, without controls and marks of direction."""
    line = " ".join(_CONTROL.sub(" ", _BIDI.sub("", text)).split())
    return _MARKUP.sub(_escaped_markup, line).translate(_ENTITIES)


def _escaped_markup(match: re.Match[str]) -> str:
    if match[3]:
        return f"{match[3]}\\{match[4]}"
    return f"\\{match[0]}"


def latex(text: str) -> str:
    """The text for LaTeX, on one line, without controls and marks of direction."""
    line = _CONTROL.sub(" ", _BIDI.sub("", text))
    return _LATEX_SIGNS.sub(lambda match: _LATEX[match[0]], line)


def html(text: str) -> str:
    """The text for an element or a quoted attribute of HTML or SVG, as `legible` has it."""
    return standard_html.escape(legible(text), quote=True)


def legible(text: str) -> str:
    """The text as a page shows it: characters that XML forbids, and other controls, are U+FFFD;
    marks that reverse the direction of what follows are left out."""
    return _ILLEGAL_IN_XML.sub("\ufffd", _BIDI.sub("", text))
