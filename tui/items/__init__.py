"""The list of a dataset's items by what holds of them, and acts on all of it or on ticked items."""
