"""Finds the items that hide documents from systems.

Their texts carry a member `hidden`. A program that does not know it would show systems what the
item hides, and call the text changed; as it does not know this step either, it leaves the file
alone.
"""

SQL = """
CREATE INDEX revision_hides ON revision (id) WHERE instr(content, '"hidden":') > 0;
"""
