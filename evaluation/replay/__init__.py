"""Tier 0: replays policies over stored pass matrices and output hashes of real programs. Nothing is executed."""
