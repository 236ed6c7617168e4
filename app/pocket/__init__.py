"""What a page needs that works without a server: rules, texts and policies as files."""
