"""The job queue, the cache of model calls, the prompts sent, and unreadable sources."""
