"""What a study may spend: limits, filters, plans, partitions, and what they refuse."""
