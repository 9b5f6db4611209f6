"""Moment functions of pairs, many of a kind at once: what a contour integral asks of its parts."""
