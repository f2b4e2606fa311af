"""Systems of one's own: services, programs and functions that retrieve and answer."""
