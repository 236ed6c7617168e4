"""What given strategies earn."""
