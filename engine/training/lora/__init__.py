"""Fine-tuning a language model as a judge; needs the extra `train`, imported on first use."""
