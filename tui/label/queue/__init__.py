"""Which subjects come: samples, parts of the queue, where a rater goes, and what is read ahead."""
