"""The forms in which a privacy guarantee is stated."""
