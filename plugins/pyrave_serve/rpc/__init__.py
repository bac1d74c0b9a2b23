"""JSON-RPC 2.0 over HTTP and WebSocket."""
