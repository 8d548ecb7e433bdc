"""The doors for programs: REST, WebSocket, Gradio's endpoints and MCP, and who may come in."""
