"""What becomes of one value: its treatment, large results and their stores, and what the ledger keeps."""
