"""Mechanisms that publish a choice, a comparison, large groups, or people's own answers."""
