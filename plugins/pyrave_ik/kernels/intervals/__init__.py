"""Parts of continua that are within limits."""
