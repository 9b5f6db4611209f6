"""Noise with a density of the caller's own: a law of whole numbers that is drawn and accounted as it is."""
