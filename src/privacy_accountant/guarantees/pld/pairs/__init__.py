"""Dominating pairs: what one release reveals at worst, each written down exactly."""
