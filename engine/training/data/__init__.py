"""Human-labelled answers as data for judges: cases, their sides, training, what trainers read."""
