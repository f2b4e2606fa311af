"""Language tools for Chinese and English text that know nothing of benchmarks."""
