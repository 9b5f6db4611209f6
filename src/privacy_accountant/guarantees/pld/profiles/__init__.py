"""Profiles with two-sided bounds: every way of computing delta of a composition, and what is read off it."""
