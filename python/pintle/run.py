"""A prompt and its run."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, AsyncIterator, Awaitable, Callable, Generator, List, Literal, Mapping, Optional, cast

from . import protocol as p
from ._faults import Tasks
from ._frames import Frame
from ._stream import EventStream
from ._tracker import PromptWatcher
from ._waits import Waits
from .errors import PintleError, again

StreamingBehavior = Literal["steer", "followUp"]


@dataclass(frozen=True)
class RunResult:
    """How a run has ended."""

    # False: the prompt was handled without the model, by a command of an extension.
    agent_invoked: bool
    # The text of the last answer.
    text: str
    # Every message of the run.
    messages: List[p.AgentMessage]
    stop_reason: Optional[p.RunStopReason] = None
    # When `stop_reason` is "error".
    error_message: Optional[str] = None


class Run:
    """The events of a run up to its `agent_end`, and its result: `async for event in run`, `result = await run`.

    Leaving the loop early stops reading, not the run. Cancelling the task that reads or waits aborts the run."""

    def __init__(
        self,
        waits: Waits,
        tasks: Tasks,
        prompt: Callable[[PromptWatcher], Awaitable[Any]],
        abort: Callable[[], None],
        timeout: Optional[float],
    ) -> None:
        self._waits = waits
        self._prompt = prompt
        self._abort = abort
        self._timeout = timeout
        self._stream = EventStream()
        self._end = waits.future()
        self._result: "asyncio.Future[RunResult]" = asyncio.get_running_loop().create_future()
        tasks.start(self._follow())

    def __aiter__(self) -> AsyncIterator[p.Event]:
        return self

    async def __anext__(self) -> p.Event:
        try:
            return cast(p.Event, await self._stream.next())
        except asyncio.CancelledError:
            self.abort()
            raise

    def __await__(self) -> Generator[Any, None, RunResult]:
        return self._wait().__await__()

    def abort(self) -> None:
        """Asks the server to end the run; its closing events still come."""
        if not self._result.done():
            self._abort()

    # What the tracker tells.

    def on_event(self, event: Frame) -> None:
        self._stream.push(event)

    def on_end(self, event: Optional[Frame]) -> None:
        if not self._end.done():
            self._end.set_result(event)

    def on_failure(self, error: PintleError) -> None:
        if not self._end.done():
            self._end.set_exception(error)

    async def _wait(self) -> RunResult:
        try:
            # Several may wait, and one that is cancelled does not end it for the others.
            return await asyncio.shield(self._result)
        except asyncio.CancelledError:
            self.abort()
            raise

    async def _follow(self) -> None:
        loop = asyncio.get_running_loop()
        deadline = None if self._timeout is None else loop.time() + self._timeout
        try:
            await self._prompt(self)
            left = None if deadline is None else max(0.0, deadline - loop.time())
            result = to_result(await self._waits.wait(self._end, "run", left))
        except BaseException as error:
            self._result.set_exception(again(error) if isinstance(error, Exception) else PintleError(repr(error)))
            self._result.exception()  # also when only the iteration hears of it
            self._stream.fail(error if isinstance(error, Exception) else PintleError(repr(error)))
            if not isinstance(error, Exception):
                raise
        else:
            self._result.set_result(result)
            self._stream.close()
        finally:
            self._waits.forget(self._end)


def to_result(event: Optional[Mapping[str, Any]]) -> RunResult:
    if event is None:
        return RunResult(agent_invoked=False, text="", messages=[])
    messages: List[p.AgentMessage] = event["messages"]
    answer: Optional[Mapping[str, Any]] = next(
        (cast(Mapping[str, Any], one) for one in reversed(messages) if one["role"] == "assistant"), None
    )
    blocks = cast(List[Mapping[str, Any]], answer["content"]) if answer else []
    reason = event.get("stopReason")
    return RunResult(
        agent_invoked=True,
        text="".join(str(block["text"]) for block in blocks if block.get("type") == "text"),
        messages=messages,
        stop_reason=reason,
        error_message=answer.get("errorMessage") if answer and reason == "error" else None,
    )
