"""An MCP server with one tool, which wants a login, and the place where one logs in."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Dict, Optional
from urllib.parse import parse_qs, urlencode, urlsplit

TOKEN = "python-token"
TOOL = {"name": "now", "description": "Says that it works", "inputSchema": {"type": "object"}}


class LoginServer:
    """On loopback, until the end of the block."""

    def __init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self.origin = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.url = f"{self.origin}/mcp"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def __enter__(self) -> "LoginServer":
        return self

    def __exit__(self, *_error: Any) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        origin = f"http://{self.headers['Host']}"
        if path.startswith("/.well-known/oauth-protected-resource"):
            self._answer(200, {"resource": f"{origin}/mcp", "authorization_servers": [origin]})
        elif path == "/.well-known/oauth-authorization-server":
            endpoints = {f"{name}_endpoint": f"{origin}/{path}" for name, path in _ENDPOINTS.items()}
            supported = {"response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"]}
            self._answer(200, {"issuer": origin, **endpoints, **supported})
        elif path == "/authorize":
            asked = parse_qs(urlsplit(self.path).query)
            answer = urlencode({"code": "code-1", "state": asked["state"][0]})
            self._answer(302, None, {"Location": f"{asked['redirect_uri'][0]}?{answer}"})
        else:
            self._answer(405, None)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        if self.path == "/register":
            self._answer(201, {**json.loads(body), "client_id": "client-1"})
        elif self.path == "/token":
            self._answer(200, {"access_token": TOKEN, "token_type": "Bearer", "expires_in": 3600})
        elif self.headers.get("Authorization") != f"Bearer {TOKEN}":
            metadata = f"http://{self.headers['Host']}/.well-known/oauth-protected-resource"
            self._answer(401, None, {"WWW-Authenticate": f'Bearer resource_metadata="{metadata}"'})
        else:
            self._call(json.loads(body))

    def do_DELETE(self) -> None:
        self._answer(405, None)

    def _call(self, call: Dict[str, Any]) -> None:
        if "id" not in call:
            self._answer(202, None)
            return
        result = _RESULTS.get(call["method"])
        unknown = {"error": {"code": -32601, "message": "no such method"}}
        self._answer(200, {"jsonrpc": "2.0", "id": call["id"], **({"result": result} if result else unknown)})

    def _answer(self, status: int, body: Any, headers: Optional[Dict[str, str]] = None) -> None:
        content = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        pass


_ENDPOINTS = {"authorization": "authorize", "token": "token", "registration": "register"}
_RESULTS: Dict[str, Any] = {
    "initialize": {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "login", "version": "1"},
    },
    "tools/list": {"tools": [TOOL]},
    "tools/call": {"content": [{"type": "text", "text": "it works"}]},
}
