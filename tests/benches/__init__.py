"""What things cost beside their peers, each as a ratio within one run; `make bench` runs them."""
