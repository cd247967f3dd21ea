"""What may become a memory, and with how much trust. Pure: record in, verdict out."""
