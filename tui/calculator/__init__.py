"""Computing beside the app, in a process of its own."""
