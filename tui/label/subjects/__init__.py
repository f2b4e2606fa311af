"""What is labelled, on the screen: items, answers and pairs of them beside their documents."""
