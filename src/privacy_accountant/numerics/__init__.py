"""Pure functions on floats and arrays; no classes, no policy."""
