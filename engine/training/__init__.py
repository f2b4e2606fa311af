"""Teaches judges from human labels: light judges, fine-tuned models, and files for trainers."""
