"""What a person touches: the Textual app and the command line `ragdesk`."""
