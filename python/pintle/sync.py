"""The client for programs without asyncio: the same calls, each waits for its answer.

A thread runs the loop while a client is started, and ends with it. Listeners are called in that thread and must not call the
client; handlers of questions and tools run in threads of their own and may."""

from __future__ import annotations

import asyncio
import os
import threading
from concurrent.futures import CancelledError as _Cancelled
from typing import Any, Awaitable, Callable, Dict, Iterator, List, Literal, Mapping, Optional, Sequence, TypeVar, Union

from . import client as _client
from . import gateway as _gateway
from . import protocol as p
from . import results
from . import run as _run
from . import session as _session
from ._faults import FaultListener
from ._kept_connection import Reconnect
from ._process import ExitStatus
from .errors import RpcClosedError
from .methods import SyncCommandMethods
from .questions import (
    ApprovalHandler,
    BudgetHandler,
    FileHandler,
    LoginHandler,
    PreviewHandler,
    TerminalHandler,
    TrustHandler,
    UiHandler,
)
from .run import RunResult, StreamingBehavior
from .session import EventListener, Remove, UpdateMode
from .tools import HostTool

T = TypeVar("T")

_RUN_TIMEOUT = 60.0


class _Loop:
    """A loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._work, name="pintle-loop", daemon=True)
        self._thread.start()

    def wait(self, answer: Awaitable[T]) -> T:
        if threading.current_thread() is self._thread:
            _drop(answer)
            raise RuntimeError("A listener runs in the thread of the client and cannot wait for it")
        if not self._thread.is_alive():
            _drop(answer)
            raise RpcClosedError("The client is not started")
        future = asyncio.run_coroutine_threadsafe(_awaited(answer), self._loop)
        try:
            return future.result()
        except _Cancelled:
            raise RpcClosedError("The client was stopped") from None
        except BaseException:
            future.cancel()  # an interrupt from the keyboard, say
            raise

    def stop(self) -> None:
        """Also ends what is still under way."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _work(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            rest = asyncio.all_tasks(self._loop)
            for task in rest:
                task.cancel()
            self._loop.run_until_complete(asyncio.gather(*rest, return_exceptions=True))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            asyncio.set_event_loop(None)
            self._loop.close()


async def _awaited(answer: Awaitable[T]) -> T:
    return await answer


def _drop(answer: Awaitable[Any]) -> None:
    """A coroutine that is not awaited would be reported."""
    close = getattr(answer, "close", None)
    if close is not None:
        close()


class Run:
    """The events of a run up to its `agent_end`: `for event in run`. Leaving the loop early stops reading, not the run."""

    def __init__(self, wait: Callable[[Awaitable[Any]], Any], run: _run.Run) -> None:
        self._wait = wait
        self._run = run

    def __iter__(self) -> Iterator[p.Event]:
        return self

    def __next__(self) -> p.Event:
        event: Optional[p.Event] = self._wait(_next(self._run))
        if event is None:
            raise StopIteration
        return event

    def result(self) -> RunResult:
        """Waits for the end."""
        result: RunResult = self._wait(self._run)
        return result

    def abort(self) -> None:
        """Asks the server to end the run; its closing events still come."""

        async def abort() -> None:
            self._run.abort()

        self._wait(abort())


class EventIterator:
    """Events from the moment it was made: `for event in events`, until `close()` or the end of the connection."""

    def __init__(self, wait: Callable[[Awaitable[Any]], Any], events: _session.EventIterator) -> None:
        self._wait = wait
        self._events = events

    def __iter__(self) -> Iterator[p.Event]:
        return self

    def __next__(self) -> p.Event:
        event: Optional[p.Event] = self._wait(_next(self._events))
        if event is None:
            raise StopIteration
        return event

    def close(self) -> None:
        self._wait(self._events.aclose())


async def _next(events: Union[_run.Run, _session.EventIterator]) -> Optional[p.Event]:
    try:
        return await events.__anext__()
    except StopAsyncIteration:
        return None


class Session(SyncCommandMethods):
    """One session of a server, and everything a host does with it."""

    def __init__(self, session: _session.Session, get_loop: Callable[[], _Loop]) -> None:
        self._methods = session
        self._session = session
        self._get_loop = get_loop

    @property
    def server(self) -> Optional[p.Ready]:
        """What the server said about itself when it was ready."""
        return self._session.server

    @property
    def is_idle(self) -> bool:
        """No run, nothing left of the last one, and no prompt under way."""
        return self._session.is_idle

    def request(self, command: str, params: Mapping[str, Any] = {}, *, timeout: Optional[float] = None) -> Any:
        """For commands without a method. Gives the `data` of the answer."""
        return self._wait(self._session.request(command, params, timeout=timeout))

    def set_custom_tools(self, tools: Sequence[HostTool], *, timeout: Optional[float] = None) -> List[str]:
        """Replaces the tools that run in this program."""
        return self._wait(self._session.set_custom_tools(tools, timeout=timeout))

    def run(
        self,
        message: str,
        *,
        images: Optional[List[p.InputImage]] = None,
        streaming_behavior: Optional[StreamingBehavior] = None,
        timeout: Optional[float] = None,
    ) -> Run:
        """Sends a prompt; its run can be iterated, and waited for with `result()`."""

        async def begin() -> _run.Run:
            return self._session.run(
                message, images=images, streaming_behavior=streaming_behavior, timeout=timeout
            )

        return Run(self._wait, self._wait(begin()))

    def prompt_and_wait(
        self,
        message: str,
        *,
        images: Optional[List[p.InputImage]] = None,
        streaming_behavior: Optional[StreamingBehavior] = None,
        timeout: Optional[float] = _RUN_TIMEOUT,
    ) -> RunResult:
        """Sends a prompt and waits for the end of its run."""
        return self.run(message, images=images, streaming_behavior=streaming_behavior, timeout=timeout).result()

    def wait_for_idle(self, *, timeout: Optional[float] = _RUN_TIMEOUT) -> None:
        """Waits until nothing is left to do; raises when a prompt fails after it was accepted."""
        self._wait(self._session.wait_for_idle(timeout=timeout))

    def events(self) -> EventIterator:
        """Events from now on."""

        async def begin() -> _session.EventIterator:
            return self._session.events()

        return EventIterator(self._wait, self._wait(begin()))

    def on_event(self, listener: EventListener) -> Remove:
        """Every event. Gives a function that ends it."""
        return self._install(lambda: self._session.on_event(listener))

    def on(self, event_type: str, listener: Callable[[Any], object]) -> Remove:
        """The events of a type."""
        return self._install(lambda: self._session.on(event_type, listener))

    def on_ui_request(self, handler: UiHandler) -> Remove:
        """Dialogs of extensions; the return value is the answer. Without a handler every dialog is cancelled."""
        return self._install(lambda: self._session.on_ui_request(handler))

    def on_trust_request(self, handler: TrustHandler) -> Remove:
        """Whether code that the project brings along may run; the return value is the answer."""
        return self._install(lambda: self._session.on_trust_request(handler))

    def on_approval(self, handler: ApprovalHandler) -> Remove:
        """Whether a tool call may run; the return value is the answer. Without a handler the server denies it."""
        return self._install(lambda: self._session.on_approval(handler))

    def on_mcp_auth(self, handler: LoginHandler) -> Remove:
        """A person is to log in at an MCP server: show the address. The return value is the one that the browser was sent back to."""
        return self._install(lambda: self._session.on_mcp_auth(handler))

    def on_preview(self, handler: PreviewHandler) -> Remove:
        """Changes that a tool has staged: the run waits for the decision, which is the return value."""
        return self._install(lambda: self._session.on_preview(handler))

    def on_budget(self, handler: BudgetHandler) -> Remove:
        """A limit is used up and the run waits; the return value has the new totals."""
        return self._install(lambda: self._session.on_budget(handler))

    def on_file_request(self, handler: FileHandler) -> Remove:
        """Files that are open in an editor are read and written there."""
        return self._install(lambda: self._session.on_file_request(handler))

    def on_terminal_request(self, handler: TerminalHandler) -> Remove:
        """The model's commands run in a terminal of the host."""
        return self._install(lambda: self._session.on_terminal_request(handler))

    def on_protocol_error(self, listener: FaultListener) -> Remove:
        """Lines that are no frames, failures that belong to nothing, and listeners that raised."""
        return self._install(lambda: self._session.on_protocol_error(listener))

    def _wait(self, answer: Awaitable[T]) -> T:
        try:
            loop = self._get_loop()
        except RpcClosedError:
            _drop(answer)
            raise
        return loop.wait(answer)

    def _is_loop_running(self) -> bool:
        try:
            self._get_loop()
        except RpcClosedError:
            return False
        return True

    def _install(self, install: Callable[[], Remove]) -> Remove:
        """In the thread of the loop, if there is one: until then no other thread looks at the session."""
        if not self._is_loop_running():
            remove = install()
        else:

            async def begin() -> Remove:
                return install()

            remove = self._wait(begin())

        async def end() -> None:
            remove()

        def remove_there() -> None:
            if self._is_loop_running():
                self._wait(end())
            else:
                remove()

        return remove_there


class Client(Session):
    """A server as a process of its own: `with Client() as client`."""

    def __init__(
        self,
        *,
        command: Optional[_client.Command] = None,
        cwd: Optional[Union[str, "os.PathLike[str]"]] = None,
        env: Optional[Mapping[str, Optional[str]]] = None,
        provider: Optional[str] = None,
        model: Optional[str] = None,
        session_dir: Optional[str] = None,
        args: Sequence[str] = (),
        tools: Sequence[HostTool] = (),
        update_mode: Optional[UpdateMode] = None,
        ready_timeout: float = 30.0,
        request_timeout: float = 30.0,
        stop_grace: float = 1.0,
        stderr_limit: int = 64 * 1024,
    ) -> None:
        """As `pintle.Client`."""
        self._client = _client.Client(
            command=command,
            cwd=cwd,
            env=env,
            provider=provider,
            model=model,
            session_dir=session_dir,
            args=args,
            tools=tools,
            update_mode=update_mode,
            ready_timeout=ready_timeout,
            request_timeout=request_timeout,
            stop_grace=stop_grace,
            stderr_limit=stderr_limit,
        )
        self._loop: Optional[_Loop] = None
        super().__init__(self._client, self._running_loop)

    @property
    def session_file(self) -> Optional[str]:
        """Where the open session is stored, if it is."""
        return self._client.session_file

    @property
    def stderr(self) -> str:
        """The end of what the process wrote to stderr."""
        return self._client.stderr

    @property
    def is_running(self) -> bool:
        return self._client.is_running

    def start(self) -> p.Ready:
        """Done when the server is ready. Can be called again after `stop()`, and after the process has ended by itself."""
        is_new = self._loop is None
        if self._loop is None:
            self._loop = _Loop()
        try:
            return self._loop.wait(self._client.start())
        except BaseException:
            if is_new:
                self.stop()
            raise

    def stop(self) -> None:
        """Rejects everything that waits, ends the process and the thread."""
        loop, self._loop = self._loop, None
        if loop is None:
            return
        try:
            loop.wait(self._client.stop())
        finally:
            loop.stop()

    def restart(self) -> p.Ready:
        """Starts anew, also after a crash, with the session that was open. Tools and handlers stay."""
        return self._wait(self._client.restart())

    def exited(self) -> ExitStatus:
        """Waits for the end of the process that was started last."""
        return self._wait(self._client.exited())

    def __enter__(self) -> "Client":
        self.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self.stop()

    def _running_loop(self) -> _Loop:
        if self._loop is None:
            raise RpcClosedError("The client is not started")
        return self._loop


class GatewaySession(Session):
    """One session of a gateway. Lives on while the connection is away."""

    def __init__(self, session: _gateway.GatewaySession, get_loop: Callable[[], _Loop]) -> None:
        super().__init__(session, get_loop)
        self._served = session

    @property
    def session_id(self) -> str:
        return self._served.session_id

    @property
    def session_file(self) -> Optional[str]:
        """On the server, if it was opened here and is stored."""
        return self._served.session_file

    @property
    def cursor(self) -> p.SessionCursor:
        """How far the session was seen: `attach` goes on from there, also in another program."""
        return self._served.cursor

    @property
    def is_away(self) -> bool:
        """There is no connection at the moment. Commands wait for the next one."""
        return self._served.is_away

    def detach(self) -> None:
        """Hears no more of the session, which lives on."""
        self._wait(self._served.detach())

    def close(self, *, abort: Optional[bool] = None) -> None:
        """Ends the process of the session. Refused while a run is active, unless `abort` is true."""
        self._wait(self._served.close(abort=abort))


class GatewayClient:
    """Speaks to `pintle serve`: `with GatewayClient(url=…) as gateway`, then `gateway.open(cwd=…)`."""

    def __init__(
        self,
        *,
        url: Optional[str] = None,
        token: Optional[str] = None,
        socket: Optional[str] = None,
        reconnect: Optional[Reconnect] = Reconnect(),
        ready_timeout: float = 30.0,
        request_timeout: float = 30.0,
    ) -> None:
        """As `pintle.GatewayClient`."""
        self._gateway = _gateway.GatewayClient(
            url=url,
            token=token,
            socket=socket,
            reconnect=reconnect,
            ready_timeout=ready_timeout,
            request_timeout=request_timeout,
        )
        self._loop: Optional[_Loop] = None

    @property
    def server(self) -> Optional[p.ServerReady]:
        """What the server said about itself when the newest connection was made."""
        return self._gateway.server

    @property
    def is_connected(self) -> bool:
        return self._gateway.is_connected

    def connect(self) -> p.ServerReady:
        """Makes the first connection; later ones come by themselves."""
        if self._loop is not None:
            raise RuntimeError("Client already started")
        self._loop = _Loop()
        try:
            return self._loop.wait(self._gateway.connect())
        except BaseException:
            self.end()
            raise

    def end(self) -> None:
        """Ends the connection and the thread; the sessions live on at the server."""
        loop, self._loop = self._loop, None
        if loop is None:
            return
        try:
            loop.wait(self._gateway.__aexit__())
        finally:
            loop.stop()

    def __enter__(self) -> "GatewayClient":
        self.connect()
        return self

    def __exit__(self, *_exception: object) -> None:
        self.end()

    def open(
        self,
        *,
        cwd: Optional[str] = None,
        session: Optional[str] = None,
        fork: Optional[bool] = None,
        name: Optional[str] = None,
        model: Optional[str] = None,
        thinking: Optional[p.ThinkingLevel] = None,
        builtin_tools: Optional[List[str]] = None,
        env: Optional[Dict[str, str]] = None,
        settings: Optional[Dict[str, Any]] = None,
        trust: Optional[bool] = None,
        budget: Optional[p.GatewayOpenSessionBudget] = None,
        ephemeral: Optional[bool] = None,
        since: _gateway.Since = None,
        tools: Sequence[HostTool] = (),
        update_mode: Optional[UpdateMode] = None,
        request_timeout: Optional[float] = None,
        timeout: Optional[float] = None,
    ) -> GatewaySession:
        """Opens a new or a stored session, or attaches to it where it is open."""
        opened = self._wait(
            self._gateway.open(
                cwd=cwd,
                session=session,
                fork=fork,
                name=name,
                model=model,
                thinking=thinking,
                builtin_tools=builtin_tools,
                env=env,
                settings=settings,
                trust=trust,
                budget=budget,
                ephemeral=ephemeral,
                since=since,
                tools=tools,
                update_mode=update_mode,
                request_timeout=request_timeout,
                timeout=timeout,
            )
        )
        return GatewaySession(opened, self._running_loop)

    def attach(
        self,
        session_id: str,
        *,
        events: Optional[Literal["all", "settled", "none"]] = None,
        since: _gateway.Since = None,
        tools: Sequence[HostTool] = (),
        update_mode: Optional[UpdateMode] = None,
        request_timeout: Optional[float] = None,
        timeout: Optional[float] = None,
    ) -> GatewaySession:
        """Attaches to a session that is open."""
        attached = self._wait(
            self._gateway.attach(
                session_id,
                events=events,
                since=since,
                tools=tools,
                update_mode=update_mode,
                request_timeout=request_timeout,
                timeout=timeout,
            )
        )
        return GatewaySession(attached, self._running_loop)

    def list(
        self,
        *,
        cwd: Optional[str] = None,
        query: Optional[str] = None,
        status: Optional[Literal["idle", "running", "waiting", "stored"]] = None,
        deleted: Optional[bool] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> results.GatewayListSessionsResult:
        """A page of the sessions that the server has, stored and open."""
        return self._wait(
            self._gateway.list(
                cwd=cwd, query=query, status=status, deleted=deleted, limit=limit, cursor=cursor, timeout=timeout
            )
        )

    def delete(self, session_id: str, *, timeout: Optional[float] = None) -> None:
        """Closes a session and moves it to the trash."""
        self._wait(self._gateway.delete(session_id, timeout=timeout))

    def restore(self, session_id: str, *, timeout: Optional[float] = None) -> None:
        """Takes a session out of the trash."""
        self._wait(self._gateway.restore(session_id, timeout=timeout))

    def server_state(self, *, timeout: Optional[float] = None) -> results.ServerState:
        """What the server does now, and its limits."""
        return self._wait(self._gateway.server_state(timeout=timeout))

    def _wait(self, answer: Awaitable[T]) -> T:
        if self._loop is None:
            _drop(answer)
            raise RpcClosedError("The client is not started")
        return self._loop.wait(answer)

    def _running_loop(self) -> _Loop:
        if self._loop is None:
            raise RpcClosedError("The client is not started")
        return self._loop
