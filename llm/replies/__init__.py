"""Reads a reply: its blocks, header, edits, program and tool calls. Nothing is ever guessed."""
