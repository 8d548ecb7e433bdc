"""Runs chat models inside this process: loading, decoding, prompt caches, and grammars for replies."""
