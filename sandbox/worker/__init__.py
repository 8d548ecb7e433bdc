"""The worker: sources sent to a bare interpreter, which then forks, walls and ends programs."""
