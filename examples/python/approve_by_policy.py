"""A policy in code decides what the model may do: no person is asked, and every decision is logged.

    PYTHONPATH=python python3 examples/python/approve_by_policy.py "run the tests and repair what fails" --model …

With the preset `ask`, everything that changes something is a question. The first matching rule decides; without one
the answer is no, and the model gets the reason."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from fnmatch import fnmatch
from pathlib import PurePath
from typing import Any, Dict, List, Tuple

from pintle import Client
from pintle.protocol import ApprovalRequest, PermissionRequest

# Programs that may run, by their first words. Everything else is refused.
ALLOWED_PROGRAMS: List[Tuple[str, ...]] = [("npm", "test"), ("git", "status"), ("git", "diff"), ("touch",), ("ls",)]
# Files that are never written, whatever the tool is.
PROTECTED = ["*.lock", "*/.git/*", "*/.env*"]


def decide(request: PermissionRequest, cwd: str) -> Tuple[str, str]:
    """Returns the decision and its reason."""
    written = [path["real"] for path in request.get("paths", []) if path["access"] == "write"]
    for path in written:
        if any(fnmatch(path, pattern) for pattern in PROTECTED):
            return "deny", f"{path} is protected"
        if PurePath(cwd) not in PurePath(path).parents:
            return "deny", f"{path} is outside {cwd}"
    command = request.get("command")
    if command is None:
        return ("allow_once", "inside of the project") if written else ("deny", "no rule allows it")
    programs = command["programs"]
    if programs == "opaque":
        return "deny", "what it would run is not certain"
    for program in programs:
        if not any(tuple(program[: len(allowed)]) == allowed for allowed in ALLOWED_PROGRAMS):
            return "deny", f"{program[0]} is not on the list"
    return "allow_once", "on the list"


async def work(prompt: str, model: str, cwd: str) -> None:
    def on_approval(asked: ApprovalRequest) -> Dict[str, Any]:
        decision, reason = decide(asked["request"], cwd)
        print(json.dumps({"asked": asked["request"]["title"], "decision": decision, "reason": reason}), flush=True)
        return {"decision": decision, **({"note": reason} if decision == "deny" else {})}

    client = Client(cwd=cwd, model=model, args=["--no-session", "--permissions", "ask"])
    client.on_approval(on_approval)
    async with client:
        result = await client.run(prompt)
    print(result.text)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("prompt", nargs="?", default="run touch made-by-pintle")
    parser.add_argument("--model", default="pintle/offline")
    parser.add_argument("--cwd", default=".")
    options = parser.parse_args()
    asyncio.run(work(options.prompt, options.model, os.path.realpath(options.cwd)))


if __name__ == "__main__":
    main()
