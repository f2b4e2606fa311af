"""What raters are to label: samples with their draws and quotas, the queue, and progress."""
