"""A chat in the browser with nothing but the standard library: answers appear as they are written.

    PYTHONPATH=python python3 examples/python/web_chat.py --model anthropic/claude-sonnet-4-5

It prints the address. One conversation, for one user on this machine: it listens on loopback, and only pages that it served
itself may post (the token in the page says so)."""

from __future__ import annotations

import argparse
import html
import json
import secrets
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Dict, Iterator

from pintle import PintleError
from pintle.sync import Client

PAGE = """<!doctype html><meta charset="utf-8"><title>pintle</title>
<style>body{font:16px/1.5 sans-serif;max-width:45rem;margin:2rem auto}pre{white-space:pre-wrap}input{width:100%}</style>
<div id="chat"></div><form><input name="message" autofocus placeholder="Ask something"></form>
<script nonce="NONCE">
const chat = document.querySelector("#chat");
const show = (text) => { const line = document.createElement("pre"); line.textContent = text; chat.append(line); return line; };
document.querySelector("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const message = event.target.message.value;
  event.target.reset();
  show("> " + message);
  const answer = show("");
  const response = await fetch("/prompt", { method: "POST", headers: { "x-token": "TOKEN" }, body: message });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    const lines = (rest + value).split("\\n");
    rest = lines.pop();
    for (const line of lines) {
      const { text, tool, error } = JSON.parse(line);
      answer.textContent += text ?? (tool ? "[" + tool + "]\\n" : "\\n" + error);
    }
  }
});
</script>"""


class Chat:
    """One run at a time."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._lock = threading.Lock()

    def answer(self, message: str) -> Iterator[Dict[str, str]]:
        """Yields what the page shows, piece by piece."""
        if not self._lock.acquire(blocking=False):
            yield {"error": "Another answer is being written."}
            return
        try:
            run = self._client.run(message)
            for event in run:
                if event["type"] == "message_update":
                    step = event["assistantMessageEvent"]
                    if step["type"] == "text_delta":
                        yield {"text": step["delta"]}
                elif event["type"] == "tool_execution_start":
                    yield {"tool": event["toolName"]}
            result = run.result()
            if result.error_message is not None:
                yield {"error": result.error_message}
        except PintleError as error:
            yield {"error": str(error)}
        finally:
            self._lock.release()


def handler_for(chat: Chat) -> Any:
    token = secrets.token_urlsafe()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path != "/":
                self.send_error(HTTPStatus.NOT_FOUND)
                return
            nonce = secrets.token_urlsafe()
            body = PAGE.replace("NONCE", nonce).replace("TOKEN", html.escape(token)).encode()
            self.send_response(HTTPStatus.OK)
            self.send_header("content-type", "text/html; charset=utf-8")
            policy = f"default-src 'self'; style-src 'unsafe-inline'; script-src 'nonce-{nonce}'"
            self.send_header("content-security-policy", policy)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            given = self.headers.get("x-token", "")
            if self.path != "/prompt" or not secrets.compare_digest(given.encode(), token.encode()):
                self.send_error(HTTPStatus.FORBIDDEN)
                return
            message = self.rfile.read(int(self.headers.get("content-length", 0))).decode("utf-8", "replace")
            self.send_response(HTTPStatus.OK)
            self.send_header("content-type", "application/jsonl; charset=utf-8")
            self.end_headers()
            for piece in chat.answer(message):
                self.wfile.write(json.dumps(piece).encode() + b"\n")
                self.wfile.flush()

        def log_message(self, format: str, *args: Any) -> None:
            """Keeps prompts out of the log."""

    return Handler


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="pintle/offline")
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    with Client(model=options.model, update_mode="delta") as client:
        server = ThreadingHTTPServer(("127.0.0.1", options.port), handler_for(Chat(client)))
        server.daemon_threads = True
        print(f"http://127.0.0.1:{server.server_address[1]}/", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            pass
        finally:
            server.server_close()


if __name__ == "__main__":
    main()
