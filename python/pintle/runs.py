"""A prompt and its run."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field, replace
from typing import (
    Any,
    AsyncIterator,
    Awaitable,
    Callable,
    Dict,
    Generator,
    Generic,
    List,
    Literal,
    Mapping,
    Optional,
    TypeVar,
    cast,
)

from . import protocol as p
from ._faults import Tasks
from ._frames import Frame
from ._output import Output, OutputMismatch
from ._stream import EventStream
from ._tracker import PromptWatcher
from ._waits import Waits
from .errors import PintleError, RpcClosedError, RpcCommandError, RpcTimeoutError, again

StreamingBehavior = Literal["steer", "followUp"]
RunStatus = Literal["completed", "aborted", "error"]
T = TypeVar("T")

# How long a run may stay silent after its timeout, in seconds.
_SILENCE = 10.0
_ENDS: Dict[str, str] = {"stop": "stop", "length": "length", "aborted": "abort", "error": "error"}
# Fields of `prompt_result` and their names here.
_REPORTED = {
    "status": "status",
    "stopReason": "stop_reason",
    "endedBy": "ended_by",
    "text": "text",
    "output": "output",
    "rejectedOutput": "rejected_output",
    "outputAttempts": "output_attempts",
    "usage": "usage",
    "cost": "cost",
    "models": "models",
    "turns": "turns",
    "toolCalls": "tool_calls",
    "durationMs": "duration_ms",
    "sessionId": "session_id",
    "sessionFile": "session_file",
    "filesChanged": "files_changed",
    "denials": "denials",
    "omitted": "omitted",
    "error": "error",
}


def _no_list() -> List[Any]:
    return []


def _no_usage() -> Mapping[str, Any]:
    return _sum([])


@dataclass(frozen=True)
class RunResult(Generic[T]):
    """The result of a prompt. Mappings use the names of the wire format."""

    # False if the prompt was handled without the model, by an extension command.
    agent_invoked: bool
    # The text of the last answer that contains any, complete or not.
    text: str
    # Every message of the run.
    messages: List[p.AgentMessage]
    stop_reason: Optional[p.RunStopReason] = None
    # The message of `error`.
    error_message: Optional[str] = None
    status: RunStatus = "completed"
    # What ended the run; newer servers may send values that are not documented. None if there was no run.
    ended_by: Optional[str] = None
    # Set if and only if there is an output schema and the status is "completed".
    output: Optional[T] = None
    # The last rejected value, when `ended_by` is "output".
    rejected_output: Any = None
    output_attempts: Optional[int] = None
    usage: Mapping[str, Any] = field(default_factory=_no_usage)
    # In USD; None if a model has no known price.
    cost: Optional[float] = None
    # In the order of first use.
    models: List[Mapping[str, Any]] = field(default_factory=_no_list)
    turns: int = 0
    tool_calls: int = 0
    duration_ms: int = 0
    session_id: str = ""
    # None if nothing is stored.
    session_file: Optional[str] = None
    # Empty if the server does not report them (capability `run_result`).
    files_changed: List[Mapping[str, Any]] = field(default_factory=_no_list)
    denials: List[Mapping[str, Any]] = field(default_factory=_no_list)
    # How many entries were omitted because of the server's limits.
    omitted: Optional[Mapping[str, int]] = None
    error: Optional[Mapping[str, Any]] = None


@dataclass(frozen=True)
class RunParts:
    """What a run needs from its session."""

    waits: Waits
    tasks: Tasks
    # True if the server enforces `timeoutMs` and reports each result with `prompt_result`.
    has_results: bool
    # Sends the prompt. Raises if the server rejects it.
    prompt: Callable[[Dict[str, Any], PromptWatcher], Awaitable[Any]]
    abort: Callable[[], None]
    # Session id and file.
    place: Callable[[], Dict[str, Any]]


class RunProgress:
    """Follows the events of a run, so that a result is available even if its end never arrives."""

    def __init__(self, place: Callable[[], Dict[str, Any]]) -> None:
        self._place = place
        self._started_at = time.monotonic()
        self._messages: List[Frame] = []
        self._answer: Optional[Frame] = None

    def follow(self, event: Frame) -> None:
        kind = event["type"]
        if kind == "message_end":
            self._messages.append(event["message"])
            self._answer = None
        elif kind in ("message_start", "message_update") and event["message"]["role"] == "assistant":
            self._answer = event["message"]

    def partial(self, status: RunStatus, ended_by: str, message: Optional[str] = None) -> RunResult[Any]:
        """Returns the result of a run that ended for this client, whatever it does on the server."""
        messages = [*self._messages, *([self._answer] if self._answer is not None else [])]
        fields = self._facts(messages)
        if message is not None:
            fields.update({"error": {"message": message, "retryable": False}, "error_message": message})
        fields.update({"agent_invoked": bool(messages), "status": status, "ended_by": ended_by})
        return RunResult(**fields)

    def result(self, end: Optional[Frame], told: Optional[Frame]) -> RunResult[Any]:
        """Builds the result. Without either event, an older server handled the prompt without the model."""
        fields = self._facts(self._messages if end is None else end["messages"])
        fields["agent_invoked"] = end is not None
        error: Any = None
        if end is not None:
            reason = end.get("stopReason", "stop")
            fields["stop_reason"] = reason
            fields["ended_by"] = end.get("endedBy") or _ENDS.get(reason, reason)
            fields["status"] = reason if reason in ("aborted", "error") else "completed"
            error = _failure(end) if reason == "error" else None
        if told is not None:
            fields["agent_invoked"] = bool(told.get("agentInvoked"))
            fields.update({name: told[key] for key, name in _REPORTED.items() if key in told})
            error = told.get("error", error)
        if error is not None:
            fields.update({"error": error, "error_message": error.get("message")})
        return RunResult(**fields)

    def _facts(self, messages: List[Any]) -> Dict[str, Any]:
        answers = [message for message in messages if message["role"] == "assistant"]
        texts = [text for text in map(_text, answers) if text != ""]
        usage = _sum(answers)
        blocks = [block for answer in answers for block in answer.get("content", [])]
        return {
            "text": texts[-1] if texts else "",
            "messages": messages,
            "usage": usage,
            "cost": _cost(usage),
            "models": _models(answers),
            "turns": len(answers),
            "tool_calls": sum(1 for block in blocks if block.get("type") == "toolCall"),
            "duration_ms": int((time.monotonic() - self._started_at) * 1000),
            **self._place(),
        }


class Run(Generic[T]):
    """Yields the events of a run up to `agent_end`, and has its result: `async for event in run`, `result = await run`.

    Leaving the loop early stops reading, not the run. Cancelling the task that reads or waits aborts the run; `partial` has
    the result so far.
    """

    def __init__(
        self,
        parts: RunParts,
        params: Dict[str, Any],
        timeout: Optional[float],
        output: Optional[Output],
        on_end: Optional[Callable[[], None]] = None,
    ) -> None:
        self._parts = parts
        self._params = params
        self._timeout = timeout
        self._output = output
        self._on_end = on_end
        self._progress = RunProgress(parts.place)
        # Why this side ended the run: "abort" or "timeout".
        self._cause: Optional[str] = None
        self._stream = EventStream()
        self._end = parts.waits.future()
        self._result: "asyncio.Future[RunResult[T]]" = asyncio.get_running_loop().create_future()
        parts.tasks.start(self._follow())

    def __aiter__(self) -> AsyncIterator[p.Event]:
        return self

    async def __anext__(self) -> p.Event:
        try:
            return cast(p.Event, await self._stream.next())
        except asyncio.CancelledError:
            self.abort()
            raise

    def __await__(self) -> Generator[Any, None, RunResult[T]]:
        return self._wait().__await__()

    def abort(self) -> None:
        """Ends the run; the result then has `ended_by` "abort" and the text so far."""
        if not self._result.done():
            self._cause = self._cause or "abort"
            self._parts.abort()

    @property
    def partial(self) -> RunResult[T]:
        """The result so far, or the final result when the run is over."""
        if self._result.done() and not self._result.cancelled() and self._result.exception() is None:
            return self._result.result()
        return self._progress.partial("aborted", self._cause or "abort")

    # What the tracker reports.

    def on_event(self, event: Frame) -> None:
        self._progress.follow(event)
        self._stream.push(event)
        if event["type"] == "agent_end":
            self._stream.close()

    def on_end(self, event: Optional[Frame], told: Optional[Frame] = None) -> None:
        if self._on_end is not None:
            self._on_end()
        if not self._end.done():
            self._end.set_result((event, told))

    def on_failure(self, error: PintleError) -> None:
        if not self._end.done():
            self._end.set_exception(error)

    async def _wait(self) -> RunResult[T]:
        try:
            # Several tasks may wait, and cancelling one of them must not end it for the others.
            return await asyncio.shield(self._result)
        except asyncio.CancelledError:
            self.abort()
            raise

    async def _follow(self) -> None:
        try:
            params = dict(self._params)
            if self._timeout is not None and self._parts.has_results:
                params["timeoutMs"] = max(1, round(self._timeout * 1000))
            try:
                await self._parts.prompt(params, self)
                result = self._finished(*await self._ended())
            except RpcCommandError as error:
                if self._cause is None or error.code != "cancelled":
                    raise
                result = self._progress.partial("aborted", self._cause)  # the abort arrived before the run started
        except BaseException as error:
            failure = self._with_partial(again(error)) if isinstance(error, Exception) else PintleError(repr(error))
            self._result.set_exception(failure)
            self._result.exception()  # retrieved here in case only the iteration receives it
            self._stream.fail(failure)
            if not isinstance(error, Exception):
                raise
        else:
            self._result.set_result(result)
            self._stream.close()
        finally:
            self._parts.waits.forget(self._end)

    async def _ended(self) -> Any:
        waits, timeout = self._parts.waits, self._timeout
        if timeout is None:
            return await waits.wait(self._end, "run", None)
        try:
            if self._parts.has_results:
                return await waits.wait(self._end, "run", timeout + _SILENCE)
            await asyncio.wait({self._end}, timeout=timeout)
            if not self._end.done():
                self._cause = self._cause or "timeout"
                self._parts.abort()
            return await waits.wait(self._end, "run", _SILENCE)
        except RpcTimeoutError:
            self._parts.abort()
            raise RpcTimeoutError(f"run took longer than {timeout:g} s") from None

    def _finished(self, end: Optional[Frame], told: Optional[Frame]) -> RunResult[T]:
        result = self._progress.result(end, told)
        # An older server reports nothing but an abort.
        if self._cause is not None and result.status == "aborted" and result.ended_by in (None, "abort"):
            result = replace(result, ended_by=self._cause)
        if self._output is None or result.status != "completed" or not result.agent_invoked:
            return result
        try:
            return replace(result, output=self._output.read(result.output))
        except OutputMismatch as error:
            failure = {"message": str(error), "retryable": False}
            return replace(
                result,
                status="error",
                ended_by="output",
                output=None,
                rejected_output=result.output,
                error=failure,
                error_message=str(error),
            )

    def _with_partial(self, error: BaseException) -> BaseException:
        if isinstance(error, RpcTimeoutError):
            error.partial = self._progress.partial("aborted", "timeout", str(error))
        elif isinstance(error, RpcClosedError):
            error.partial = self._progress.partial("error", "error", str(error))
        return error


class QueryStream(EventStream):
    """A stream of events that closes with the end of a run."""

    _is_last = False

    def end_after_this(self) -> None:
        """Marks the event being delivered as the last one; it is pushed after this call."""
        self._is_last = True

    def push(self, event: Frame) -> None:
        super().push(event)
        if self._is_last:
            self.close()


class Query(Generic[T]):
    """Yields every event while a prompt runs, with `prompt_result` last: `async for event in query`, then
    `await query.result`.

    `aclose()` aborts the run, as does leaving `async with query`.
    """

    def __init__(self, stream: EventStream, run: Run[T]) -> None:
        self._stream = stream
        self._run = run

        def ended(_result: object) -> None:
            error = run._result.exception()  # pyright: ignore[reportPrivateUsage]
            if error is None:
                stream.close()
            else:
                stream.fail(error)

        run._result.add_done_callback(ended)  # pyright: ignore[reportPrivateUsage]

    @property
    def result(self) -> Awaitable[RunResult[T]]:
        return self._run

    @property
    def partial(self) -> RunResult[T]:
        """The result so far."""
        return self._run.partial

    def abort(self) -> None:
        """Ends the run; the result then has `ended_by` "abort" and the text so far."""
        self._run.abort()

    async def aclose(self) -> None:
        """Aborts the run if it is still active. Returns when it has ended."""
        self._stream.leave()
        self.abort()
        try:
            await self._run
        except PintleError:
            pass  # `result` reports the failure

    def __aiter__(self) -> AsyncIterator[p.Event]:
        return self

    async def __anext__(self) -> p.Event:
        try:
            return cast(p.Event, await self._stream.next())
        except asyncio.CancelledError:
            self.abort()
            raise

    async def __aenter__(self) -> "Query[T]":
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self.aclose()


def _text(answer: Mapping[str, Any]) -> str:
    return "".join(str(block["text"]) for block in answer.get("content", []) if block.get("type") == "text")


def _failure(end: Mapping[str, Any]) -> Optional[Mapping[str, Any]]:
    answers = [message for message in end["messages"] if message["role"] == "assistant"]
    message = answers[-1].get("errorMessage") if answers else None
    return None if message is None else {"message": message, "retryable": False}


def _models(answers: List[Any]) -> List[Mapping[str, Any]]:
    groups: Dict[Any, List[Any]] = {}
    for answer in answers:
        groups.setdefault((answer.get("provider"), answer.get("model")), []).append(answer)
    models: List[Mapping[str, Any]] = []
    for (provider, model), own in groups.items():
        usage = _sum(own)
        models.append({"provider": provider, "model": model, "turns": len(own), "usage": usage, "cost": _cost(usage)})
    return models


def _cost(usage: Mapping[str, Any]) -> Optional[float]:
    """Returns None for tokens without a cost: the model's price is unknown."""
    total: float = usage["cost"]["total"]
    return None if usage["totalTokens"] > 0 and total == 0 else total


def _sum(answers: List[Any]) -> Dict[str, Any]:
    counts = ("input", "output", "cacheRead", "cacheWrite", "totalTokens")
    prices = ("input", "output", "cacheRead", "cacheWrite", "total")
    used: List[Any] = [answer.get("usage") or {} for answer in answers]
    costs: List[Any] = [usage.get("cost") or {} for usage in used]
    return {
        **{key: sum(usage.get(key, 0) for usage in used) for key in counts},
        "cost": {key: sum(cost.get(key, 0) for cost in costs) for key in prices},
    }
