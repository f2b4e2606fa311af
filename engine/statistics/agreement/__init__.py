"""How far raters agree: applicability first, then values, with intervals: pure."""
