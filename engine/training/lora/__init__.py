"""Fine-tunes a language model as a judge, with the libraries of the extra `train`."""
