"""The readers by the suffixes of the files they read.

To add a format, write a module with a function `read` of type `contract.Reader` and name its
suffixes here. Libraries that only it needs are imported inside its functions.
"""

from __future__ import annotations

from engine.corpus.readers import csv_table, json_file, json_lines, markdown, plain_text
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
}
