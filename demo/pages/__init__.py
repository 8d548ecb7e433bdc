"""The pages beside the first one, one file each: address, components and what fills them."""
