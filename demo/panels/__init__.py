"""One file per panel of the screen: each turns a view into escaped HTML."""
