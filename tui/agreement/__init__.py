"""The screens on the agreement of raters and on their conflicts."""
