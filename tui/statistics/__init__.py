"""The app's figures over raters' work: statistics, progress towards targets, new samples."""
