"""What stands in a reply: its blocks, header, edits, program and tool calls; nothing is ever guessed."""
