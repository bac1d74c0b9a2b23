"""What is known of hits beside distances."""
