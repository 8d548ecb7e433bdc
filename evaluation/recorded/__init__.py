"""Holds stored outputs of real models, and the provider that answers with them."""
