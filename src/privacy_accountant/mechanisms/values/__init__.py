"""What is noised: read from the kinds that people hold, without loss, and given back in the same kind."""
