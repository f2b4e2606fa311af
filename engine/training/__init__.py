"""Teaching judges: judge data, a light judge, fine-tuning, and the export for trainers."""
