"""What raters read of a subject: its texts, what was retrieved, and what an answer rests on."""
