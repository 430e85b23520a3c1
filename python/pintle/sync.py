"""The client for programs without asyncio: the same calls, each of which blocks until its result is there.

A thread runs the loop while a client is started, and ends with it. Listeners are called in that thread and must not call the
client; handlers of questions and tools run in threads of their own and may.
"""

from __future__ import annotations

import asyncio
import os
import threading
from concurrent.futures import CancelledError as _Cancelled
from typing import (
    TYPE_CHECKING,
    Any,
    Awaitable,
    Callable,
    Generic,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Type,
    TypeVar,
    Union,
    cast,
    overload,
)

from . import client as _client
from . import gateway as _gateway
from . import once as _once
from . import protocol as p
from . import session as _session
from ._kept_connection import Reconnect
from ._options import ClientOptions
from ._output import OutputSchema
from ._sync_methods import SyncClientMethods, SyncGatewayMethods, SyncGatewaySessionMethods, SyncSessionMethods
from .errors import RpcClosedError
from .handlers import Remove
from .methods import SyncCommandMethods
from .runs import Query as _AsyncQuery
from .runs import Run as _AsyncRun
from .runs import RunResult, StreamingBehavior
from .session import AnyOutput, UpdateMode
from .tools import HostTool

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .once import RunOptions

T = TypeVar("T")


class _Loop:
    """A loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._work, name="pintle-loop", daemon=True)
        self._thread.start()

    def wait(self, answer: Awaitable[T]) -> T:
        if threading.current_thread() is self._thread:
            _drop(answer)
            raise RuntimeError("A listener runs in the client's thread and cannot wait for the client; call it from another thread")
        if not self._thread.is_alive():
            _drop(answer)
            raise RpcClosedError("The client is not started")
        future = asyncio.run_coroutine_threadsafe(_awaited(answer), self._loop)
        try:
            return future.result()
        except _Cancelled:
            raise RpcClosedError("The client was stopped") from None
        except BaseException:
            future.cancel()  # for example on a keyboard interrupt
            raise

    def stop(self) -> None:
        """Stops the loop, including tasks that are still running."""
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
    """Closes a coroutine that will not be awaited, which Python would otherwise report."""
    close = getattr(answer, "close", None)
    if close is not None:
        close()


class Run(Generic[T]):
    """Yields the events of a run up to `agent_end`: `for event in run`. Leaving the loop early stops reading, not the run."""

    def __init__(self, wait: Callable[[Awaitable[Any]], Any], run: "_AsyncRun[T]") -> None:
        self._wait = wait
        self._run = run

    def __iter__(self) -> Iterator[p.Event]:
        return self

    def __next__(self) -> p.Event:
        event: Optional[p.Event] = self._wait(_next(self._run))
        if event is None:
            raise StopIteration
        return event

    def result(self) -> RunResult[T]:
        """Waits for the end and returns the result."""
        result: RunResult[T] = self._wait(self._run)
        return result

    @property
    def partial(self) -> RunResult[T]:
        """The result so far, or the final result when the run is over."""
        return self._run.partial

    def abort(self) -> None:
        """Ends the run; the result then has `ended_by` "abort" and the text so far."""

        async def abort() -> None:
            self._run.abort()

        self._wait(abort())


class Query(Generic[T]):
    """Yields every event while a prompt runs, with `prompt_result` last: `for event in query`, then `query.result()`. `close()`
    aborts the run and stops the program, as does leaving `with query`."""

    def __init__(
        self, wait: Callable[[Awaitable[Any]], Any], query: "Union[_AsyncQuery[T], _once.Query[T]]", own: Optional[_Loop]
    ) -> None:
        self._wait = wait
        self._query = query
        # Set for a query with a program of its own.
        self._own = own
        self._ended: Optional[Callable[[], RunResult[T]]] = None

    def __iter__(self) -> Iterator[p.Event]:
        return self

    def __next__(self) -> p.Event:
        if self._ended is not None:
            raise StopIteration
        event: Optional[p.Event] = self._guarded(lambda: self._wait(_next(self._query)))
        if event is None:
            raise StopIteration
        return event

    def result(self) -> RunResult[T]:
        """Waits for the end and returns the result."""
        ended = self._ended
        if ended is not None:
            return ended()
        result: RunResult[T] = self._guarded(lambda: self._wait(_awaited(self._query.result)))
        self._finish()
        return result

    @property
    def partial(self) -> RunResult[T]:
        """The result so far."""
        return self._query.partial

    def abort(self) -> None:
        """Ends the run; the result then has `ended_by` "abort" and the text so far."""

        async def abort() -> None:
            self._query.abort()

        if self._ended is None:
            self._wait(abort())

    def close(self) -> None:
        """Aborts the run if it is still active, and stops the program."""
        if self._ended is not None:
            return
        try:
            self._wait(self._query.aclose())
        finally:
            self._finish()

    def __enter__(self) -> "Query[T]":
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def _guarded(self, action: Callable[[], Any]) -> Any:
        """Leaves no process behind after a keyboard interrupt."""
        try:
            return action()
        except StopIteration:
            raise
        except BaseException:
            self.close()
            raise

    def _finish(self) -> None:
        async def ended() -> Callable[[], RunResult[T]]:
            try:
                result = await self._query.result
            except Exception as error:
                failure = error

                def fail() -> RunResult[T]:
                    raise failure

                return fail
            return lambda: result

        if self._own is None or self._ended is not None:
            return
        self._ended = self._wait(ended())
        self._own.stop()


class EventIterator:
    """Iterates over events from its creation on: `for event in events`, until `close()` or the end of the connection."""

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


async def _next(
    events: "Union[_AsyncRun[Any], _AsyncQuery[Any], _once.Query[Any], _session.EventIterator]",
) -> Optional[p.Event]:
    try:
        return await events.__anext__()
    except StopAsyncIteration:
        return None


class Session(SyncSessionMethods, SyncCommandMethods):
    """One session of a server, and everything a host does with it."""

    def __init__(self, session: _session.Session, get_loop: Callable[[], _Loop]) -> None:
        self._methods = session
        self._session = session
        self._get_loop = get_loop

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
        """Sends a prompt; its run can be iterated, and waited for with `result()`."""

        async def begin() -> "_AsyncRun[Any]":
            return self._session.run(
                message,
                output_schema=cast(Any, output_schema),
                images=images,
                streaming_behavior=streaming_behavior,
                timeout=timeout,
            )

        return Run(self._wait, self._wait(begin()))

    @overload
    def prompt_and_wait(
        self,
        message: str,
        *,
        output_schema: Type[T],
        images: Optional[List[p.InputImage]] = None,
        streaming_behavior: Optional[StreamingBehavior] = None,
        timeout: Optional[float] = None,
    ) -> RunResult[T]: ...

    @overload
    def prompt_and_wait(
        self,
        message: str,
        *,
        output_schema: AnyOutput = None,
        images: Optional[List[p.InputImage]] = None,
        streaming_behavior: Optional[StreamingBehavior] = None,
        timeout: Optional[float] = None,
    ) -> RunResult[Any]: ...

    def prompt_and_wait(
        self,
        message: str,
        *,
        output_schema: Union[Type[Any], AnyOutput] = None,
        images: Optional[List[p.InputImage]] = None,
        streaming_behavior: Optional[StreamingBehavior] = None,
        timeout: Optional[float] = None,
    ) -> RunResult[Any]:
        """Sends a prompt and waits for the end of its run."""
        schema = cast(Any, output_schema)
        run: Run[Any] = self.run(
            message, output_schema=schema, images=images, streaming_behavior=streaming_behavior, timeout=timeout
        )
        return run.result()

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
        """Sends a prompt and yields every event of the session, with `prompt_result` last. `close()` aborts the run."""

        async def begin() -> "_AsyncQuery[Any]":
            return self._session.query(
                message,
                output_schema=cast(Any, output_schema),
                images=images,
                streaming_behavior=streaming_behavior,
                timeout=timeout,
            )

        return Query(self._wait, self._wait(begin()), None)

    def events(self) -> EventIterator:
        """Iterates over events from now on."""

        async def begin() -> _session.EventIterator:
            return self._session.events()

        return EventIterator(self._wait, self._wait(begin()))

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
        """Installs in the thread of the loop if it runs; before that no other thread uses the session."""
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


class Client(Session, SyncClientMethods):
    """Runs a server as a child process: `with Client() as client`."""

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
        strict_host: bool = False,
        output_schema: Optional[OutputSchema] = None,
        **options: "Unpack[ClientOptions]",
    ) -> None:
        """Takes the options of `pintle.Client`."""
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
            strict_host=strict_host,
            output_schema=output_schema,
            **options,
        )
        self._loop: Optional[_Loop] = None
        super().__init__(self._client, self._running_loop)

    def start(self) -> p.Ready:
        """Returns when the server is ready. Can be called again after `stop()` or after the process has exited."""
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
        """Rejects everything that is waiting and ends the process and the thread."""
        loop, self._loop = self._loop, None
        if loop is None:
            return
        try:
            loop.wait(self._client.stop())
        finally:
            loop.stop()

    def __enter__(self) -> "Client":
        self.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self.stop()

    def _running_loop(self) -> _Loop:
        if self._loop is None:
            raise RpcClosedError("The client is not started")
        return self._loop


class GatewaySession(Session, SyncGatewaySessionMethods):
    """A session of a gateway. Survives a lost connection."""

    def __init__(self, session: _gateway.GatewaySession, get_loop: Callable[[], _Loop]) -> None:
        super().__init__(session, get_loop)
        self._served = session


class GatewayClient(SyncGatewayMethods[GatewaySession]):
    """Connects to `pintle serve`: `with GatewayClient(url=…) as gateway`, then `gateway.open(cwd=…)`."""

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
        """Takes the options of `pintle.GatewayClient`."""
        self._gateway = _gateway.GatewayClient(
            url=url,
            token=token,
            socket=socket,
            reconnect=reconnect,
            ready_timeout=ready_timeout,
            request_timeout=request_timeout,
        )
        self._loop: Optional[_Loop] = None

    def connect(self) -> p.ServerReady:
        """Opens the first connection; reconnecting is automatic."""
        if self._loop is not None:
            raise RuntimeError("Client already started")
        self._loop = _Loop()
        try:
            return self._loop.wait(self._gateway.connect())
        except BaseException:
            self.end()
            raise

    def end(self) -> None:
        """Closes the connection and ends the thread; the sessions keep running on the server."""
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

    def _opened(self, session: _gateway.GatewaySession) -> GatewaySession:
        return GatewaySession(session, self._running_loop)

    def _wait(self, answer: Awaitable[T]) -> T:
        if self._loop is None:
            _drop(answer)
            raise RpcClosedError("The client is not started")
        return self._loop.wait(answer)

    def _running_loop(self) -> _Loop:
        if self._loop is None:
            raise RpcClosedError("The client is not started")
        return self._loop


@overload
def query(prompt: str, *, output_schema: Type[T], **options: "Unpack[RunOptions]") -> Query[T]: ...


@overload
def query(prompt: str, *, output_schema: AnyOutput = None, **options: "Unpack[RunOptions]") -> Query[Any]: ...


def query(
    prompt: str, *, output_schema: Union[Type[Any], AnyOutput] = None, **options: "Unpack[RunOptions]"
) -> Query[Any]:
    """Starts the program, sends the prompt, yields every event and stops the program."""
    given: Any = options.get("client")
    if isinstance(given, Session):
        own = [name for name in options if name not in ("client", "images", "timeout")]
        if own:
            raise TypeError(f"{own[0]} is an option of the client; set it there")
        schema = cast(Any, output_schema)
        return given.query(prompt, output_schema=schema, images=options.get("images"), timeout=options.get("timeout"))
    loop = _Loop()

    async def begin() -> "_once.Query[Any]":
        return _once.Query(prompt, output_schema, options)

    try:
        return Query(loop.wait, loop.wait(begin()), loop)
    except BaseException:
        loop.stop()
        raise


@overload
def run(prompt: str, *, output_schema: Type[T], **options: "Unpack[RunOptions]") -> RunResult[T]: ...


@overload
def run(prompt: str, *, output_schema: AnyOutput = None, **options: "Unpack[RunOptions]") -> RunResult[Any]: ...


def run(
    prompt: str, *, output_schema: Union[Type[Any], AnyOutput] = None, **options: "Unpack[RunOptions]"
) -> RunResult[Any]:
    """Starts the program, sends the prompt, returns the result of its run and stops the program."""
    schema = cast(Any, output_schema)
    running: Query[Any] = query(prompt, output_schema=schema, **options)
    try:
        return running.result()
    finally:
        if options.get("client") is None:
            running.close()
