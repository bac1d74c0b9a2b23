"""What is known of the rays of a block while they are cast."""
