"""The workspace, one SQLite file that holds all data, and the file formats it reads and writes."""
