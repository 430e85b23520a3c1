"""Tools of the model that run in this program."""

from __future__ import annotations

import asyncio
import inspect
from dataclasses import dataclass, field
from typing import Any, Awaitable, Callable, Dict, List, Mapping, Optional, Sequence, Union, cast, overload

from . import _calls
from ._faults import Tasks
from ._frames import Frame
from ._schema import Parameters, read_parameters
from .errors import PintleError
from .protocol import RpcHostToolDefinition

# A string stands for one block of text; a mapping has `content`, and `details` and `isError` if needed.
ToolOutput = Union[None, str, Mapping[str, Any]]


@dataclass(frozen=True)
class ToolContext:
    """What a call knows of itself: given to a function that has a parameter of this type."""

    # The model's id of the call, as in the `tool_execution_*` events.
    tool_call_id: str
    # Shows progress; replaces the one before. May be called from any thread.
    send_update: Callable[[ToolOutput], None] = field(repr=False)


@dataclass(frozen=True)
class HostTool:
    """A tool that runs in this program. `execute` gets the arguments, which fit `parameters`, and the context."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    execute: Callable[[Mapping[str, Any], ToolContext], Awaitable[ToolOutput]] = field(repr=False)
    # Further fields of the definition, such as `label`.
    extra: Mapping[str, Any] = field(default_factory=lambda: cast(Mapping[str, Any], {}), repr=False)

    def definition(self) -> RpcHostToolDefinition:
        """What the server is told about it."""
        fields = {**self.extra, "name": self.name, "description": self.description, "parameters": dict(self.parameters)}
        return cast(RpcHostToolDefinition, fields)


@overload
def tool(function: Callable[..., Any]) -> HostTool: ...


@overload
def tool(
    function: None = None, *, name: Optional[str] = None, description: Optional[str] = None, **extra: Any
) -> Callable[[Callable[..., Any]], HostTool]: ...


def tool(
    function: Optional[Callable[..., Any]] = None,
    *,
    name: Optional[str] = None,
    description: Optional[str] = None,
    **extra: Any,
) -> Union[HostTool, Callable[[Callable[..., Any]], HostTool]]:
    """Makes a tool of a function: its name, its docstring, and the JSON Schema of its annotations.

    `Annotated[str, "what it is for"]` describes a parameter. A coroutine runs on the loop and is cancelled when the result is
    not wanted any more; a plain function runs in a thread. What it raises is told to the model."""

    def make(function: Callable[..., Any]) -> HostTool:
        parameters = read_parameters(function, ToolContext)
        text = description if description is not None else inspect.getdoc(function)
        if not text:
            raise TypeError(f"{function.__name__} needs a docstring: it tells the model what the tool does")
        return HostTool(
            name=name or function.__name__,
            description=text,
            parameters=parameters.schema,
            execute=_executor(function, parameters),
            extra=extra,
        )

    return make if function is None else make(function)


def _executor(
    function: Callable[..., Any], parameters: Parameters
) -> Callable[[Mapping[str, Any], ToolContext], Awaitable[ToolOutput]]:
    async def execute(arguments: Mapping[str, Any], context: ToolContext) -> ToolOutput:
        given = parameters.read(arguments)
        if parameters.context_name is not None:
            given[parameters.context_name] = context
        return cast(ToolOutput, await _calls.call(function, **given))

    return execute


Send = Callable[[Frame, Optional[object]], None]


class HostTools:
    """Runs the calls of the model. After a cancel nothing is sent for that call."""

    def __init__(self, send: Send, tasks: Tasks) -> None:
        self._send = send
        self._tasks = tasks
        self._tools: Dict[str, HostTool] = {}
        self._running: Dict[str, Any] = {}

    def set(self, tools: Sequence[HostTool]) -> None:
        self._tools = {tool.name.strip(): tool for tool in tools}

    def start(self, frame: Frame) -> None:
        call_id = frame["id"]
        self._running[call_id] = self._tasks.start(self._run(call_id, frame))

    def is_running(self, call_id: str) -> bool:
        return call_id in self._running

    def cancel(self, frame: Frame) -> None:
        task = self._running.pop(frame["targetId"], None)
        if task is not None:
            task.cancel()

    def cancel_all(self) -> None:
        for call_id in list(self._running):
            self.cancel({"targetId": call_id})

    async def _run(self, call_id: str, frame: Frame) -> None:
        own = asyncio.current_task()
        loop = asyncio.get_running_loop()

        def send(answer: Frame) -> None:
            if self._running.get(call_id) is own:
                self._send(answer, call_id)

        def send_update(partial: ToolOutput) -> None:
            update = {"type": "host_tool_update", "id": call_id, "partialResult": _result(partial)}
            loop.call_soon_threadsafe(send, update)

        try:
            tool = self._tools.get(frame["toolName"])
            if tool is None:
                raise PintleError(f'Host tool "{frame["toolName"]}" is not registered')
            output = await tool.execute(frame["arguments"], ToolContext(frame["toolCallId"], send_update))
            result = _result(output)
            is_error = bool(result.pop("isError", False))
            answer: Frame = {"type": "host_tool_result", "id": call_id, "result": result}
            # Behind the updates, which take the loop's next turn.
            await asyncio.sleep(0)
            send({**answer, "isError": True} if is_error else answer)
        except Exception as error:
            failed = _result(str(error) or type(error).__name__)
            send({"type": "host_tool_result", "id": call_id, "result": failed, "isError": True})
        finally:
            if self._running.get(call_id) is own:
                del self._running[call_id]


def _result(output: ToolOutput) -> Dict[str, Any]:
    if output is None:
        return {"content": []}
    if isinstance(output, str):
        return {"content": [{"type": "text", "text": output}]}
    if not isinstance(cast(object, output), Mapping):
        raise TypeError(f"A tool gives text, a mapping with content, or nothing; this was {type(output).__name__}")
    content: List[Any] = list(output.get("content", []))
    return {**output, "content": content}
