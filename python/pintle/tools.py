"""Tools for the model that run in this program."""

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

# A string is one block of text; a mapping has `content`, and optionally `details`, `isError` and `terminate`.
ToolOutput = Union[None, str, Mapping[str, Any]]


@dataclass(frozen=True)
class ToolContext:
    """Describes the current call; passed to a function that has a parameter of this type."""

    # The model's id for the call, as in the `tool_execution_*` events.
    tool_call_id: str
    # Reports progress; replaces the previous update. May be called from any thread.
    send_update: Callable[[ToolOutput], None] = field(repr=False)


@dataclass(frozen=True)
class HostTool:
    """A tool that runs in this program. `execute` receives the arguments, which match `parameters`, and the context."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    execute: Callable[[Mapping[str, Any], ToolContext], Awaitable[ToolOutput]] = field(repr=False)
    # Additional fields of the definition, such as `label`.
    extra: Mapping[str, Any] = field(default_factory=lambda: cast(Mapping[str, Any], {}), repr=False)

    def definition(self, has_annotations: bool = True) -> RpcHostToolDefinition:
        """Returns the definition to send to the server. Older servers reject annotations."""
        extra = {key: value for key, value in self.extra.items() if has_annotations or key != "annotations"}
        fields = {**extra, "name": self.name, "description": self.description, "parameters": dict(self.parameters)}
        return cast(RpcHostToolDefinition, fields)


def check_tools(tools: Sequence[Any]) -> None:
    """Raises TypeError for values that are not tools, usually a function that lacks its decorator."""
    for one in tools:
        if not isinstance(one, HostTool):
            raise TypeError(f"tools: {one!r} is not a tool. Decorate the function with @tool, or build a HostTool")


@overload
def tool(function: Callable[..., Any]) -> HostTool: ...


@overload
def tool(
    function: None = None,
    *,
    name: Optional[str] = None,
    description: Optional[str] = None,
    read_only: Optional[bool] = None,
    annotations: Optional[Mapping[str, Any]] = None,
    timeout: Optional[float] = None,
    **extra: Any,
) -> Callable[[Callable[..., Any]], HostTool]: ...


def tool(
    function: Optional[Callable[..., Any]] = None,
    *,
    name: Optional[str] = None,
    description: Optional[str] = None,
    read_only: Optional[bool] = None,
    annotations: Optional[Mapping[str, Any]] = None,
    timeout: Optional[float] = None,
    **extra: Any,
) -> Union[HostTool, Callable[[Callable[..., Any]], HostTool]]:
    """Turns a function into a tool with its name, its docstring and the JSON Schema of its annotations.

    `Annotated[str, "what it is for"]` describes a parameter. A coroutine runs on the loop and is cancelled when its result is no
    longer needed; a plain function runs in a thread. The model receives the exceptions it raises.

    `read_only` declares that the tool changes nothing, so every permission preset allows it; `annotations` contains all hints
    with the names of the wire format. `timeout` limits a call, in seconds.
    """
    hints: Dict[str, Any] = {**({} if read_only is None else {"readOnlyHint": read_only}), **(annotations or {})}
    if read_only is not None and hints["readOnlyHint"] != read_only:
        raise TypeError("read_only conflicts with annotations['readOnlyHint']")
    further: Dict[str, Any] = {
        **extra,
        **({"annotations": hints} if hints else {}),
        **({} if timeout is None else {"timeoutMs": max(1, round(timeout * 1000))}),
    }

    def make(function: Callable[..., Any]) -> HostTool:
        parameters = read_parameters(function, ToolContext)
        text = description if description is not None else inspect.getdoc(function)
        if not text:
            raise TypeError(f"{function.__name__} needs a docstring, which describes the tool to the model")
        return HostTool(
            name=name or function.__name__,
            description=text,
            parameters=parameters.schema,
            execute=_executor(function, parameters),
            extra=further,
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


# How many results are kept for calls that a server sends again because it did not receive the result.
_KEPT_RESULTS = 64


class HostTools:
    """Runs the model's calls. After a cancellation nothing more is sent for that call."""

    def __init__(self, send: Send, tasks: Tasks) -> None:
        self._send = send
        self._tasks = tasks
        self._tools: Dict[str, HostTool] = {}
        self._running: Dict[str, Any] = {}
        self._results: Dict[str, Frame] = {}

    def set(self, tools: Sequence[HostTool]) -> None:
        self._tools = {tool.name.strip(): tool for tool in tools}

    def start(self, frame: Frame) -> None:
        """Runs a call. One that is redelivered after a lost connection is never executed twice."""
        call_id = frame["id"]
        if frame.get("redelivered") and not self._may_start(call_id, frame["toolName"]):
            return
        self._running[call_id] = self._tasks.start(self._run(call_id, frame))

    def _may_start(self, call_id: str, name: str) -> bool:
        if call_id in self._running:
            return False
        if call_id in self._results:
            self._send(self._results[call_id], call_id)
            return False
        tool = self._tools.get(name)
        hints: Mapping[str, Any] = {} if tool is None else tool.extra.get("annotations", {})
        if hints.get("readOnlyHint") or hints.get("idempotentHint"):
            return True
        text = f'The program that runs "{name}" was restarted during the call; whether the call had an effect is unknown'
        self._send({"type": "host_tool_result", "id": call_id, "result": _result(text), "isError": True}, call_id)
        return False

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
                if answer["type"] == "host_tool_result":
                    self._results[call_id] = answer
                    if len(self._results) > _KEPT_RESULTS:
                        del self._results[next(iter(self._results))]

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
            # Send the result after the updates, which take the loop's next turn.
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
        raise TypeError(f"A tool must return a string, a mapping with content, or None, not {type(output).__name__}")
    content: List[Any] = list(output.get("content", []))
    return {**output, "content": content}
