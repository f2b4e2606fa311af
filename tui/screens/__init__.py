"""The screens: one a place, and those that are opened from one."""
