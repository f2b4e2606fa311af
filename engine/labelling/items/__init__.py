"""Items in people's hands: lists of them, acts on many at once, and corrections half made."""
