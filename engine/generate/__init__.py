"""Making benchmark items from documents: requests, replies, rule drafts, checks and quotas."""
