"""The runtime of background work: worker, child processes, and the protocol of operations."""
