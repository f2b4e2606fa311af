"""The reader of each file suffix.

To add a format, write a module with a function `read` of type `contract.Reader` and name its
suffixes here. Libraries that only it needs are imported inside its functions.
"""

from __future__ import annotations

from engine.corpus.readers import (
    csv_table,
    docx_file,
    html_file,
    json_file,
    json_lines,
    markdown,
    pdf_file,
    plain_text,
    sqlite_file,
)
from engine.corpus.readers.contract import Reader

READERS: dict[str, Reader] = {
    ".txt": plain_text.read,
    ".text": plain_text.read,
    ".md": markdown.read,
    ".markdown": markdown.read,
    ".json": json_file.read,
    ".jsonl": json_lines.read,
    ".ndjson": json_lines.read,
    ".csv": csv_table.read,
    ".tsv": csv_table.read,
    ".docx": docx_file.read,
    ".html": html_file.read,
    ".htm": html_file.read,
    ".xhtml": html_file.read,
    ".pdf": pdf_file.read,
    ".sqlite": sqlite_file.read,
    ".sqlite3": sqlite_file.read,
    ".db": sqlite_file.read,
}
