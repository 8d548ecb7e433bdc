"""Chat models that run inside this process: loading, decoding, caches, grammar."""
