"""What a press does."""
