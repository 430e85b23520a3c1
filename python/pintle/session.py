"""The client without a process: speaks to a server through any transport."""

from __future__ import annotations

import asyncio
from typing import Any, AsyncIterator, Awaitable, Callable, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, cast

from . import protocol as p
from ._exchange import Exchange, FrameTransport, Transport
from ._faults import FaultListener, FaultReport, Tasks, add_listener
from ._frames import Frame, is_list
from ._missed_end import missed_end
from ._rebuild import MessageRebuilder
from ._stream import EventStream
from ._tracker import PromptWatcher
from .errors import PintleError, RpcClosedError, RpcCommandError, RpcProtocolError
from .methods import CommandMethods
from .questions import (
    ApprovalHandler,
    BudgetHandler,
    FileHandler,
    LoginHandler,
    PreviewHandler,
    QuestionParts,
    Questions,
    TerminalHandler,
    TrustHandler,
    UiHandler,
)
from .run import Run, RunResult, StreamingBehavior
from .tools import HostTool, HostTools

UpdateMode = Literal["full", "delta"]
EventListener = Callable[[p.Event], object]
Remove = Callable[[], None]

_RUN_TIMEOUT = 60.0


class EventIterator:
    """Events from the moment it was made. A reader that is slow gets updates merged."""

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


class Session(CommandMethods):
    """One session of a server, and everything a host does with it."""

    def __init__(
        self,
        *,
        tools: Sequence[HostTool] = (),
        update_mode: Optional[UpdateMode] = None,
        ready_timeout: float = 30.0,
        request_timeout: float = 30.0,
    ) -> None:
        """`update_mode="delta"`: long answers cost less to transfer; the client puts the message so far back into every
        update. Time limits are in seconds."""
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
        # What a session was like after a time away, until it is clear what that means for runs.
        self._snapshot: Optional[Frame] = None
        self._is_introduced = False

    @property
    def server(self) -> Optional[p.Ready]:
        """What the server said about itself when it was ready."""
        return self._server

    @property
    def is_idle(self) -> bool:
        """No run, nothing left of the last one, and no prompt under way."""
        return self._exchange.tracker.is_idle

    async def connect(self, transport: Transport) -> p.Ready:
        """Done when the server is ready and knows the tools and abilities of this host."""
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
        """Rejects everything that waits. What the transport says afterwards is not heard."""
        error = reason or RpcClosedError("The client was stopped")
        self._is_introduced = False
        self._host_tools.cancel_all()
        self._questions.take_back_all()
        self._exchange.close(error)
        for stream in list(self._streams):
            stream.fail(error)

    async def request(self, command: str, params: Mapping[str, Any] = {}, *, timeout: Optional[float] = None) -> Any:
        """For commands without a method. Gives the `data` of the answer. Fields that are None are left out."""
        return await self._exchange.request(command, params, timeout)

    async def set_custom_tools(self, tools: Sequence[HostTool], *, timeout: Optional[float] = None) -> List[str]:
        """Replaces the tools that run in this program. Gives the names that the model can use."""

        def accepted(_data: Any) -> None:
            self._tools = tuple(tools)
            self._host_tools.set(tools)

        definitions = [tool.definition() for tool in tools]
        data = await self._exchange.request("set_host_tools", {"tools": definitions}, timeout, on_success=accepted)
        return cast(List[str], data["toolNames"])

    def on_event(self, listener: EventListener) -> Remove:
        """Every event, also of types that this version does not know. Gives a function that ends it."""
        return add_listener(self._listeners, listener)

    def on(self, event_type: str, listener: Callable[[Any], object]) -> Remove:
        """The events of a type."""
        return add_listener(self._listeners_by_type.setdefault(event_type, []), listener)

    def events(self) -> EventIterator:
        """Events from now on."""
        stream = EventStream(on_leave=lambda: self._streams.remove(stream) if stream in self._streams else None)
        self._streams.append(stream)
        return EventIterator(stream)

    def on_ui_request(self, handler: UiHandler) -> Remove:
        """Dialogs of extensions; the return value is the answer. Without a handler every dialog is cancelled."""
        return self._questions.install("ui", handler)

    def on_trust_request(self, handler: TrustHandler) -> Remove:
        """Whether code that the project brings along may run; the return value is the answer."""
        return self._questions.install("trust", handler)

    def on_approval(self, handler: ApprovalHandler) -> Remove:
        """Whether a tool call may run; the return value is the answer. Without a handler the server denies it."""
        return self._questions.install("approvals", handler)

    def on_mcp_auth(self, handler: LoginHandler) -> Remove:
        """A person is to log in at an MCP server: show the address. The return value is the one that the browser was sent back to."""
        return self._questions.install("mcpAuth", handler)

    def on_preview(self, handler: PreviewHandler) -> Remove:
        """Changes that a tool has staged: the run waits for the decision, which is the return value."""
        return self._questions.install("resolvePreviews", handler)

    def on_budget(self, handler: BudgetHandler) -> Remove:
        """A limit is used up and the run waits; the return value has the new totals."""
        return self._questions.install("budgets", handler)

    def on_file_request(self, handler: FileHandler) -> Remove:
        """Files that are open in an editor are read and written there."""
        return self._questions.install("fs", handler)

    def on_terminal_request(self, handler: TerminalHandler) -> Remove:
        """The model's commands run in a terminal of the host."""
        return self._questions.install("terminal", handler)

    def on_protocol_error(self, listener: FaultListener) -> Remove:
        """Lines that are no frames, failures that belong to nothing, and listeners that raised."""
        return self._faults.on_fault(listener)

    def run(
        self,
        message: str,
        *,
        images: Optional[List[p.InputImage]] = None,
        streaming_behavior: Optional[StreamingBehavior] = None,
        timeout: Optional[float] = None,
    ) -> Run:
        """Sends a prompt; its run can be iterated and awaited. `timeout` is for the whole run, which goes on when the time is
        over. While a run is active `streaming_behavior` is needed: the message is queued, and this follows the active run."""
        params = {"message": message, "images": images, "streamingBehavior": streaming_behavior}

        def prompt(watcher: PromptWatcher) -> Awaitable[Any]:
            return self._exchange.request("prompt", params, watcher=watcher)

        return Run(self._exchange.waits, self._tasks, prompt, self._abort_soon, timeout)

    async def prompt_and_wait(
        self,
        message: str,
        *,
        images: Optional[List[p.InputImage]] = None,
        streaming_behavior: Optional[StreamingBehavior] = None,
        timeout: Optional[float] = _RUN_TIMEOUT,
    ) -> RunResult:
        """Sends a prompt and waits for the end of its run."""
        return await self.run(message, images=images, streaming_behavior=streaming_behavior, timeout=timeout)

    async def wait_for_idle(self, *, timeout: Optional[float] = _RUN_TIMEOUT) -> None:
        """Waits until nothing is left to do; raises when a prompt fails after it was accepted."""
        waits, tracker = self._exchange.waits, self._exchange.tracker
        future = waits.future()
        try:
            tracker.when_idle(future)
            await waits.wait(future, "wait_for_idle", timeout)
        finally:
            tracker.forget(future)
            waits.forget(future)

    async def collect_events(self, *, timeout: Optional[float] = _RUN_TIMEOUT) -> List[p.Event]:
        """The events from now to the next `agent_end`, or to the `prompt_result` of a prompt that needed no run."""
        waits, tracker = self._exchange.waits, self._exchange.tracker
        future = waits.future()
        events: List[p.Event] = []

        def take(event: p.Event) -> None:
            if future.done():
                return  # told in one piece with the end
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

    # What the exchange tells.

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

    # For a session on a shared connection.

    async def _join(self, transport: FrameTransport) -> None:
        """Done when the server knows the tools and abilities of this host."""
        self._exchange.join(transport, self)
        await self._introduce()

    def _connection_lost(self) -> None:
        """The connection is gone for now, and with it the calls of this host's tools."""
        self._host_tools.cancel_all()

    def _interrupted(self, reason: PintleError) -> None:
        """Whatever ran has ended with the process that ran it."""
        self._host_tools.cancel_all()
        self._questions.take_back_all()
        self._exchange.tracker.interrupted(reason)

    def _caught_up(self, state: Mapping[str, Any]) -> None:
        """How the session is now, where events cannot have told. Whatever ended meanwhile has ended unseen."""
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
                pass  # a lost connection is told to the run itself

        if self._exchange.is_open:
            self._tasks.start(abort())

    async def _introduce(self) -> None:
        """What a new server has to know. Pipelined: it takes commands in order."""
        self._is_introduced = True
        capabilities = self._questions.capabilities
        said: List[Awaitable[Any]] = []
        if self._tools:
            said.append(self.set_custom_tools(self._tools))
        if capabilities:
            said.append(self._exchange.request("set_host_capabilities", capabilities))
        if self._update_mode:
            said.append(self._exchange.request("set_update_mode", {"mode": self._update_mode}))
        await asyncio.gather(*said)

    def _declare(self, change: Dict[str, bool]) -> None:
        if not self._is_introduced:
            return  # said when the server is ready

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
        """Questions that are not in the snapshot were answered meanwhile; those that are new here are asked now."""
        self._snapshot = snapshot
        frames: List[Frame] = snapshot.get("pending") or []
        pending = {_question_id(frame): frame for frame in frames}
        self._questions.keep(pending)
        for question_id, frame in pending.items():
            is_known = self._questions.is_open(question_id) or self._host_tools.is_running(question_id)
            if not is_known and self._questions.has_handler(frame):
                self._exchange.take(frame)


class _Parts(QuestionParts):
    """What questions need of their session."""

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
    """Of a preview its own."""
    action: Frame = frame.get("action") or {}
    return str(frame.get("id") or action.get("actionId"))


def _exit_error(event: Frame) -> RpcCommandError:
    code, signal = event.get("code"), event.get("signal")
    how = f"has exited with code {code}" if signal is None else f"was ended by {signal}"
    text = f"The process of the session {how}\n{event.get('stderrTail', '')}".rstrip()
    return RpcCommandError("prompt", text, "worker_exited")


def _checked(ready: Frame) -> p.Ready:
    """An old server says nothing about versions; it speaks the first."""
    versions: Any = ready.get("supportedProtocolVersions")
    if is_list(versions) and 1 not in versions:
        told = ", ".join(str(version) for version in versions)
        raise RpcClosedError(f"The server speaks version {told} of the protocol, this client version 1")
    return cast(p.Ready, ready)
