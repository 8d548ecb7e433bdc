"""What models are told of a run, and no word more."""
