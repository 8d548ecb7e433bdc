"""What providers behind HTTP share: the exchange, what a service refuses, and what its faults mean."""
