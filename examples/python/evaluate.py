"""Runs many prompts in parallel, each in its own directory, checks the results, and prints a summary.

    PYTHONPATH=python python3 examples/python/evaluate.py examples/python/tasks.json --model anthropic/claude-sonnet-4-5

A task is {"name", "prompt", "files": {path: text}, "expect": {path: pattern}, "answer": pattern}. Prints a line of JSON per task
as it ends, then the sum; exit code 1 if one has failed."""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Dict, List

from pintle import Client, PintleError


@dataclass(frozen=True)
class Outcome:
    name: str
    passed: bool
    why: str
    seconds: float
    tokens: int
    cost: float


async def attempt(task: Dict[str, Any], model: str, seconds: float) -> Outcome:
    """Turns every failure into an outcome: one task must not end the others."""
    started = time.monotonic()
    tokens, cost, why = 0, 0.0, ""
    with tempfile.TemporaryDirectory(prefix="evaluate-") as place:
        cwd = Path(place)
        for name, text in task.get("files", {}).items():
            (cwd / name).parent.mkdir(parents=True, exist_ok=True)
            (cwd / name).write_text(text)
        try:
            async with Client(cwd=cwd, model=model, args=["--no-session"]) as client:
                result = await client.prompt_and_wait(task["prompt"], timeout=seconds)
                stats = await client.get_session_stats()
                tokens, cost = int(stats.tokens["total"]), stats.cost
            why = complaint(task, cwd, result.text) if result.stop_reason == "stop" else str(result.error_message)
        except PintleError as error:
            why = f"{type(error).__name__}: {error}"
    return Outcome(task["name"], why == "", why, round(time.monotonic() - started, 2), tokens, cost)


def complaint(task: Dict[str, Any], cwd: Path, answer: str) -> str:
    """Returns an empty string if everything is as expected."""
    if not re.search(task.get("answer", ""), answer):
        return f"the answer does not match {task['answer']!r}: {answer[:200]!r}"
    for name, pattern in task.get("expect", {}).items():
        if not (cwd / name).is_file():
            return f"{name} was not written"
        if not re.search(pattern, (cwd / name).read_text()):
            return f"{name} does not match {pattern!r}"
    return ""


async def evaluate(tasks: List[Dict[str, Any]], model: str, parallel: int, seconds: float) -> List[Outcome]:
    limit = asyncio.Semaphore(parallel)

    async def one(task: Dict[str, Any]) -> Outcome:
        async with limit:
            outcome = await attempt(task, model, seconds)
        print(json.dumps(asdict(outcome)), flush=True)
        return outcome

    return list(await asyncio.gather(*(one(task) for task in tasks)))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("tasks", type=Path)
    parser.add_argument("--model", default="pintle/offline")
    parser.add_argument("--parallel", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=600.0, help="for each task")
    options = parser.parse_args()
    tasks: List[Dict[str, Any]] = json.loads(options.tasks.read_text())
    outcomes = asyncio.run(evaluate(tasks, options.model, options.parallel, options.seconds))
    passed = sum(outcome.passed for outcome in outcomes)
    tokens, cost = sum(outcome.tokens for outcome in outcomes), sum(outcome.cost for outcome in outcomes)
    print(f"{passed} of {len(outcomes)} passed, {tokens} tokens, {cost:.4f} USD")
    sys.exit(0 if passed == len(outcomes) else 1)


if __name__ == "__main__":
    main()
