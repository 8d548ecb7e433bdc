"""Holds the doors for programs (REST, WebSocket, Gradio's endpoints and MCP) and decides who may come in."""
