"""A client without a process: talks to a server over any transport."""

from __future__ import annotations

import asyncio
from typing import (
    TYPE_CHECKING,
    Any,
    AsyncIterator,
    Awaitable,
    Callable,
    Dict,
    List,
    Literal,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Type,
    TypeVar,
    Union,
    cast,
    overload,
)

from . import protocol as p
from ._exchange import Exchange, FrameTransport, Transport
from ._faults import FaultListener, FaultReport, Tasks, add_listener
from ._frames import Frame, is_list
from ._missed_end import missed_end
from ._options import HandlerOptions, SetupOptions, check_budget, check_names
from ._output import Output, OutputSchema
from ._rebuild import MessageRebuilder
from ._stream import EventStream
from ._tracker import PromptWatcher
from .errors import PintleError, RpcClosedError, RpcCommandError, RpcProtocolError
from .handlers import QuestionMethods, Remove
from .methods import CommandMethods
from .questions import BudgetHandler, PreviewHandler, QuestionParts, Questions
from .runs import Query, QueryStream, Run, RunParts, RunResult, StreamingBehavior
from .tools import HostTool, HostTools, check_tools

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")
# False disables the session's default.
AnyOutput = Union[None, Literal[False], Mapping[str, Any]]
UpdateMode = Literal["full", "delta"]
EventListener = Callable[[p.Event], object]

IDLE_TIMEOUT = 60.0


class EventIterator:
    """Iterates over events from its creation on. Updates are merged for slow readers."""

    def __init__(self, stream: EventStream) -> None:
        self._stream = stream

    def __aiter__(self) -> AsyncIterator[p.Event]:
        return self

    async def __anext__(self) -> p.Event:
        return cast(p.Event, await self._stream.next())

    async def aclose(self) -> None:
        self._stream.leave()

    def __del__(self) -> None:
        self._stream.leave()


class Session(CommandMethods, QuestionMethods):
    """One session of a server, and everything a host does with it."""

    def __init__(
        self,
        *,
        tools: Sequence[HostTool] = (),
        update_mode: Optional[UpdateMode] = None,
        ready_timeout: float = 30.0,
        request_timeout: float = 30.0,
        output_schema: Optional[OutputSchema] = None,
        **options: "Unpack[SetupOptions]",
    ) -> None:
        """With `update_mode="delta"`, long answers take less bandwidth; the client restores the full message in every update.
        `output_schema` describes the output of every prompt without a schema of its own. Timeouts are in seconds."""
        check_names(options, SetupOptions, type(self).__name__)
        check_budget(options.get("budget"))
        check_tools(tools)
        self._exchange = Exchange(ready_timeout, request_timeout)
        self._update_mode = update_mode
        self._faults = FaultReport()
        self._tasks = Tasks(lambda error: self._faults.raised("A task of the client", error))
        self._listeners: List[EventListener] = []
        self._listeners_by_type: Dict[str, List[Callable[[Any], object]]] = {}
        self._streams: List[EventStream] = []
        self._rebuilder = MessageRebuilder()
        self._host_tools = HostTools(self._exchange.send, self._tasks)
        self._questions = Questions(_Parts(self), self._tasks)
        self._tools: Tuple[HostTool, ...] = tuple(tools)
        self._server: Optional[p.Ready] = None
        # The snapshot received after a reconnect, kept until its meaning for active runs is known.
        self._snapshot: Optional[Frame] = None
        self._is_introduced = False
        # True if the server keeps calls of host tools pending for a while after a lost connection.
        self._has_tool_grace = False
        self._policy = options.get("policy")
        self._budget = options.get("budget")
        self._output = None if output_schema is None else Output(output_schema)
        for name in HandlerOptions.__annotations__:
            handler = options.get(name)
            if handler is not None:
                getattr(self, name)(handler)

    @property
    def _capabilities(self) -> Sequence[str]:
        """The server's capabilities; the oldest servers have none."""
        return () if self._server is None else self._server.get("capabilities", ())

    def _place(self) -> Dict[str, Any]:
        """The session and file that runs currently belong to."""
        server: Mapping[str, Any] = {} if self._server is None else cast(Mapping[str, Any], self._server)
        return {"session_id": server.get("sessionId", ""), "session_file": server.get("sessionFile")}

    @property
    def server(self) -> Optional[p.Ready]:
        """What the server reported about itself when it was ready."""
        return self._server

    @property
    def is_idle(self) -> bool:
        """True if no run or prompt is active and the last run has settled."""
        return self._exchange.tracker.is_idle

    async def connect(self, transport: Transport) -> p.Ready:
        """Returns when the server is ready and has received this host's tools and capabilities."""
        self._rebuilder = MessageRebuilder()
        try:
            self._server = _checked(await self._exchange.open(transport, self))
            await self._introduce()
            return self._server
        except BaseException as error:
            if self._exchange.is_open:
                self.disconnect(error if isinstance(error, PintleError) else None)
            raise

    def disconnect(self, reason: Optional[BaseException] = None) -> None:
        """Rejects everything that is waiting and ignores further data from the transport."""
        error = reason or RpcClosedError("The client was stopped")
        self._is_introduced = False
        self._host_tools.cancel_all()
        self._questions.take_back_all()
        self._exchange.close(error)
        for stream in list(self._streams):
            if isinstance(stream, QueryStream):
                continue  # it ends with the error of its run, which has the result so far
            stream.fail(error)

    async def request(self, command: str, params: Mapping[str, Any] = {}, *, timeout: Optional[float] = None) -> Any:
        """Sends a command that has no method of its own. Returns the `data` of the response. Fields that are None are omitted."""
        if command == "set_output_schema":
            self._output = None  # the server's default schema has changed
        return await self._exchange.request(command, params, timeout)

    async def set_custom_tools(self, tools: Sequence[HostTool], *, timeout: Optional[float] = None) -> List[str]:
        """Replaces the tools that run in this program. Returns the names that the model can use."""

        def accepted(_data: Any) -> None:
            self._tools = tuple(tools)
            self._host_tools.set(tools)

        check_tools(tools)
        has_annotations = "host_tool_annotations" in self._capabilities
        definitions = [tool.definition(has_annotations) for tool in tools]
        data = await self._exchange.request("set_host_tools", {"tools": definitions}, timeout, on_success=accepted)
        return cast(List[str], data["toolNames"])

    def on_event(self, listener: EventListener) -> Remove:
        """Subscribes to every event, including types that this version does not know. Returns a function that unsubscribes."""
        return add_listener(self._listeners, listener)

    def on(self, event_type: str, listener: Callable[[Any], object]) -> Remove:
        """Subscribes to events of one type."""
        return add_listener(self._listeners_by_type.setdefault(event_type, []), listener)

    def events(self) -> EventIterator:
        """Iterates over events from now on."""
        stream = EventStream(on_leave=lambda: self._streams.remove(stream) if stream in self._streams else None)
        self._streams.append(stream)
        return EventIterator(stream)

    def _install_handler(self, capability: str, handler: Callable[..., Any]) -> Remove:
        return self._questions.install(capability, handler)

    def on_preview(self, handler: PreviewHandler) -> Remove:
        """Decides about changes that a tool has staged; the run waits for the return value."""
        return self._questions.install("resolvePreviews", handler)

    def on_budget(self, handler: BudgetHandler) -> Remove:
        """Called when a limit is exhausted and the run waits; the return value holds the new totals."""
        return self._questions.install("budgets", handler)

    def on_protocol_error(self, listener: FaultListener) -> Remove:
        """Reports lines that are not frames, failures that match no request, and listeners that raised."""
        return self._faults.on_fault(listener)

    @overload
    def run(
        self,
        message: str,
        *,
        output_schema: Type[T],
        images: Optional[List[p.InputImage]] = None,
        streaming_behavior: Optional[StreamingBehavior] = None,
        timeout: Optional[float] = None,
    ) -> Run[T]: ...

    @overload
    def run(
        self,
        message: str,
        *,
        output_schema: AnyOutput = None,
        images: Optional[List[p.InputImage]] = None,
        streaming_behavior: Optional[StreamingBehavior] = None,
        timeout: Optional[float] = None,
    ) -> Run[Any]: ...

    def run(
        self,
        message: str,
        *,
        output_schema: Union[Type[Any], AnyOutput] = None,
        images: Optional[List[p.InputImage]] = None,
        streaming_behavior: Optional[StreamingBehavior] = None,
        timeout: Optional[float] = None,
    ) -> Run[Any]:
        """Sends a prompt; its run can be iterated and awaited. `timeout` ends the run after that many seconds, with `ended_by`
        "timeout"; by default there is no limit. While a run is active, `streaming_behavior` is required: the message is
        queued, and this call follows the active run."""
        output, params = self._prompt_params(message, images, streaming_behavior, output_schema)
        return Run(self._run_parts(), params, timeout, output)

    @overload
    async def prompt_and_wait(
        self,
        message: str,
        *,
        output_schema: Type[T],
        images: Optional[List[p.InputImage]] = None,
        streaming_behavior: Optional[StreamingBehavior] = None,
        timeout: Optional[float] = None,
    ) -> RunResult[T]: ...

    @overload
    async def prompt_and_wait(
        self,
        message: str,
        *,
        output_schema: AnyOutput = None,
        images: Optional[List[p.InputImage]] = None,
        streaming_behavior: Optional[StreamingBehavior] = None,
        timeout: Optional[float] = None,
    ) -> RunResult[Any]: ...

    async def prompt_and_wait(
        self,
        message: str,
        *,
        output_schema: Union[Type[Any], AnyOutput] = None,
        images: Optional[List[p.InputImage]] = None,
        streaming_behavior: Optional[StreamingBehavior] = None,
        timeout: Optional[float] = None,
    ) -> RunResult[Any]:
        """Sends a prompt and waits for the end of its run."""
        output, params = self._prompt_params(message, images, streaming_behavior, output_schema)
        return await Run[Any](self._run_parts(), params, timeout, output)

    @overload
    def query(
        self,
        message: str,
        *,
        output_schema: Type[T],
        images: Optional[List[p.InputImage]] = None,
        streaming_behavior: Optional[StreamingBehavior] = None,
        timeout: Optional[float] = None,
    ) -> Query[T]: ...

    @overload
    def query(
        self,
        message: str,
        *,
        output_schema: AnyOutput = None,
        images: Optional[List[p.InputImage]] = None,
        streaming_behavior: Optional[StreamingBehavior] = None,
        timeout: Optional[float] = None,
    ) -> Query[Any]: ...

    def query(
        self,
        message: str,
        *,
        output_schema: Union[Type[Any], AnyOutput] = None,
        images: Optional[List[p.InputImage]] = None,
        streaming_behavior: Optional[StreamingBehavior] = None,
        timeout: Optional[float] = None,
    ) -> Query[Any]:
        """Sends a prompt and yields every event of the session, with `prompt_result` last. `aclose()` aborts the run."""
        output, params = self._prompt_params(message, images, streaming_behavior, output_schema)
        stream = QueryStream(lambda: self._streams.remove(stream) if stream in self._streams else None)
        self._streams.append(stream)
        return Query(stream, Run(self._run_parts(), params, timeout, output, stream.end_after_this))

    def _prompt_params(
        self,
        message: str,
        images: Optional[List[p.InputImage]],
        streaming_behavior: Optional[StreamingBehavior],
        output_schema: Union[Type[Any], AnyOutput],
    ) -> Tuple[Optional[Output], Dict[str, Any]]:
        params: Dict[str, Any] = {"message": message, "images": images, "streamingBehavior": streaming_behavior}
        if output_schema is None:
            return self._output, params
        has_outputs = "output_schema" in self._capabilities
        if output_schema is False:
            return None, {**params, **({"outputSchema": False} if has_outputs else {})}
        if not has_outputs:
            raise _not_supported("prompt")
        output = Output(output_schema)
        return output, {**params, "outputSchema": output.schema}

    def _run_parts(self) -> RunParts:
        def prompt(params: Dict[str, Any], watcher: PromptWatcher) -> Awaitable[Any]:
            return self._exchange.request("prompt", params, watcher=watcher)

        has_results = "run_result" in self._capabilities
        return RunParts(self._exchange.waits, self._tasks, has_results, prompt, self._abort_soon, self._place)

    async def wait_for_idle(self, *, timeout: Optional[float] = IDLE_TIMEOUT) -> None:
        """Returns when nothing is left to do; raises if a prompt fails after it was accepted."""
        waits, tracker = self._exchange.waits, self._exchange.tracker
        future = waits.future()
        try:
            tracker.when_idle(future)
            await waits.wait(future, "wait_for_idle", timeout)
        finally:
            tracker.forget(future)
            waits.forget(future)

    async def collect_events(self, *, timeout: Optional[float] = IDLE_TIMEOUT) -> List[p.Event]:
        """Collects the events from now until the next `agent_end`, or until the `prompt_result` of a prompt that needed no run."""
        waits, tracker = self._exchange.waits, self._exchange.tracker
        future = waits.future()
        events: List[p.Event] = []

        def take(event: p.Event) -> None:
            if future.done():
                return  # reported together with the end
            events.append(event)
            is_handled = event["type"] == "prompt_result" and not event.get("agentInvoked")
            if event["type"] == "agent_end" or is_handled:
                future.set_result(None)

        remove = self.on_event(take)
        try:
            tracker.when_failed(future)
            await waits.wait(future, "collect_events", timeout)
            return events
        finally:
            remove()
            tracker.forget(future)
            waits.forget(future)

    # Callbacks of the exchange.

    def on_frame(self, frame: Frame) -> None:
        kind = frame["type"]
        if kind == "host_tool_call":
            self._host_tools.start(frame)
        elif kind == "host_tool_cancel":
            self._host_tools.cancel(frame)
        elif not self._questions.take(frame):
            self._on_event_frame(frame)

    def on_fault(self, fault: RpcProtocolError) -> None:
        self._faults.report(fault)

    def on_end(self, reason: BaseException) -> None:
        self.disconnect(reason)

    # Methods for a session on a shared connection.

    async def _join(self, transport: FrameTransport) -> None:
        """Returns when the server has received this host's tools and capabilities."""
        self._has_tool_grace = "host_tool_annotations" in self._capabilities
        self._exchange.join(transport, self)
        await self._introduce()

    def _connection_lost(self) -> None:
        """Handles a lost connection. Running host tools are cancelled unless the server waits for their results."""
        if not self._has_tool_grace:
            self._host_tools.cancel_all()

    def _interrupted(self, reason: PintleError) -> None:
        """Handles the loss of the process: whatever was running has ended."""
        self._host_tools.cancel_all()
        self._questions.take_back_all()
        self._exchange.tracker.interrupted(reason)

    def _caught_up(self, state: Mapping[str, Any]) -> None:
        """Applies the session's current state after missed events. Runs that ended in the meantime are ended here too."""
        tracker, snapshot = self._exchange.tracker, self._snapshot
        if state["isSettled"]:
            tracker.ended_unseen(None if snapshot is None else missed_end(tracker.messages, snapshot))
        else:
            tracker.resume(state["isStreaming"], state["isSettled"])
        self._snapshot = None

    def _abort_soon(self) -> None:
        async def abort() -> None:
            try:
                await self._exchange.request("abort", {})
            except PintleError:
                pass  # the run itself reports a lost connection

        if self._exchange.is_open:
            self._tasks.start(abort())

    async def _introduce(self) -> None:
        """Sends a new server everything it has to know. The commands are pipelined, because the server runs them in order."""
        self._is_introduced = True
        self._exchange.tracker.has_results = "run_result" in self._capabilities
        if self._output is not None and "output_schema" not in self._capabilities:
            raise _not_supported("set_output_schema")
        grace: Dict[str, bool] = {"toolGrace": True} if self._has_tool_grace else {}
        capabilities = {**self._questions.capabilities, **grace}
        said: List[Awaitable[Any]] = []
        if self._policy is not None:
            said.append(self._exchange.request("set_policy", {"rules": list(self._policy)}))
        if self._budget is not None:
            said.append(self._exchange.request("set_budget", dict(self._budget)))
        if self._output is not None:
            said.append(self._exchange.request("set_output_schema", {"schema": self._output.schema}))
        if self._tools:
            said.append(self.set_custom_tools(self._tools))
        if capabilities:
            said.append(self._exchange.request("set_host_capabilities", capabilities))
        if self._update_mode:
            said.append(self._exchange.request("set_update_mode", {"mode": self._update_mode}))
        await asyncio.gather(*said)

    def _declare(self, change: Dict[str, bool]) -> None:
        if not self._is_introduced:
            return  # sent when the server is ready

        async def declare() -> None:
            try:
                await self._exchange.request("set_host_capabilities", change)
            except RpcClosedError:
                pass
            except PintleError as error:
                self._faults.raised("set_host_capabilities", error)

        self._tasks.start(declare())

    def _on_event_frame(self, frame: Frame) -> None:
        event = self._rebuilder.rebuild(frame)
        kind = event["type"]
        if kind == "worker_exited":
            self._interrupted(_exit_error(event))
        self._exchange.tracker.handle(event)
        self._questions.handle(event)
        for listener in [*self._listeners, *self._listeners_by_type.get(kind, ())]:
            try:
                listener(cast(p.Event, event))
            except Exception as error:
                self._faults.raised(f"A listener for {kind}", error)
        for stream in list(self._streams):
            stream.push(event)
        if kind == "session_snapshot":
            self._resume(event)

    def _resume(self, snapshot: Frame) -> None:
        """Withdraws questions that are missing from the snapshot, because they were answered in the meantime, and asks the new
        ones."""
        self._snapshot = snapshot
        frames: List[Frame] = snapshot.get("pending") or []
        pending = {_question_id(frame): frame for frame in frames}
        self._questions.keep(pending)
        for question_id, frame in pending.items():
            is_known = self._questions.is_open(question_id) or self._host_tools.is_running(question_id)
            if not is_known and self._questions.has_handler(frame):
                self._exchange.take(frame)


class _Parts(QuestionParts):
    """What questions need from their session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def send(self, frame: Frame) -> None:
        self._session._exchange.send(frame)  # pyright: ignore[reportPrivateUsage]

    async def request(self, command: str, params: Mapping[str, Any]) -> Any:
        return await self._session.request(command, params)

    def declare(self, change: Dict[str, bool]) -> None:
        self._session._declare(change)  # pyright: ignore[reportPrivateUsage]

    def on_raise(self, what: str, error: BaseException) -> None:
        self._session._faults.raised(what, error)  # pyright: ignore[reportPrivateUsage]


def _question_id(frame: Frame) -> str:
    """A preview is identified by its action; there is at most one budget question."""
    if frame["type"] == "budget_reached":
        return "budget"
    action: Frame = frame.get("action") or {}
    return str(frame.get("id") or action.get("actionId"))


def _exit_error(event: Frame) -> RpcCommandError:
    code, signal = event.get("code"), event.get("signal")
    how = f"exited with code {code}" if signal is None else f"was killed by {signal}"
    text = f"The session's process {how}\n{event.get('stderrTail', '')}".rstrip()
    return RpcCommandError("prompt", text, "worker_exited")


def _checked(ready: Frame) -> p.Ready:
    """Checks the protocol version. Older servers report none and use version 1."""
    versions: Any = ready.get("supportedProtocolVersions")
    if is_list(versions) and 1 not in versions:
        told = ", ".join(str(version) for version in versions)
        raise RpcClosedError(f"The server speaks version {told} of the protocol, but this client supports only version 1")
    return cast(p.Ready, ready)


def _not_supported(command: str) -> RpcCommandError:
    text = "The server is too old for output_schema (capability output_schema)"
    return RpcCommandError(command, text, "not_supported")
