"""Language tools that know nothing of benchmarks: words, sentences, numbers, quotes, lines."""
