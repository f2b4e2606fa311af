"""The job queue, the cache of model calls, prompts as sent, and unreadable sources."""
