"""Tier 0: policies over stored pass matrices and output hashes of real programs; nothing is executed."""
