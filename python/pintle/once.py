"""Runs one prompt with a program of its own."""

from __future__ import annotations

import asyncio
import os
from typing import (
    TYPE_CHECKING,
    Any,
    AsyncIterator,
    Awaitable,
    Dict,
    Generic,
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

from . import protocol as p
from ._options import ClientOptions, check_names
from ._stream import EventStream
from .client import Client, Command
from .errors import PintleError, again
from .runs import Query as _SessionQuery
from .runs import RunResult
from .session import AnyOutput, Session, UpdateMode
from .tools import HostTool

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")


class RunOptions(ClientOptions, total=False):
    """Options of the program to start, of the client and of the prompt."""

    command: Optional[Command]
    cwd: Union[None, str, "os.PathLike[str]"]
    env: Optional[Mapping[str, Optional[str]]]
    provider: Optional[str]
    model: Optional[str]
    session_dir: Optional[str]
    strict_host: bool
    args: Sequence[str]
    tools: Sequence[HostTool]
    update_mode: Optional[UpdateMode]
    ready_timeout: float
    request_timeout: float
    stop_grace: float
    stderr_limit: int
    images: Optional[List[p.InputImage]]
    # Ends the run after this many seconds.
    timeout: Optional[float]
    # A started client or session to use instead; it is not stopped.
    client: Optional[Session]


_OF_PROMPT = ("images", "timeout", "client")
# Longer than the five seconds that the program allows running tools.
_ABORT_GRACE = 10.0


class Query(Generic[T]):
    """Yields every event while the prompt runs, with `prompt_result` last: `async for event in query`, then `await query.result`.
    `aclose()` aborts the run and stops the program, as does leaving `async with query`."""

    def __init__(
        self,
        prompt: str,
        output_schema: Union[Type[Any], AnyOutput],
        options: Mapping[str, Any],
        what: str = "query",
    ) -> None:
        check_names(options, RunOptions, what)
        self._prompt = prompt
        self._output_schema = output_schema
        self._own = {name: value for name, value in options.items() if name not in _OF_PROMPT}
        self._of_prompt = {name: options[name] for name in ("images", "timeout") if options.get(name) is not None}
        self._given: Optional[Session] = options.get("client")
        if self._given is not None and self._own:
            raise TypeError(f"{next(iter(self._own))} is an option of the client; set it there")
        self._stream = EventStream()
        self._query: Optional[_SessionQuery[T]] = None
        self._aborted = asyncio.Event()
        self._result: "asyncio.Future[RunResult[T]]" = asyncio.get_running_loop().create_future()
        self._task = asyncio.ensure_future(self._work())

    @property
    def result(self) -> Awaitable[RunResult[T]]:
        """The result of the prompt; available once the program has stopped."""
        return self._wait()

    @property
    def partial(self) -> RunResult[T]:
        """The result so far."""
        if self._query is not None:
            return self._query.partial
        return RunResult(agent_invoked=False, text="", messages=[], status="aborted", ended_by="abort")

    def abort(self) -> None:
        """Ends the run; the result then has `ended_by` "abort" and the text so far."""
        self._aborted.set()
        if self._query is not None:
            self._query.abort()

    async def aclose(self) -> None:
        """Aborts the run if it is still active. Returns when the program has stopped."""
        self._stream.leave()
        self.abort()
        await asyncio.wait({self._task})

    def __aiter__(self) -> AsyncIterator[p.Event]:
        return self

    async def __anext__(self) -> p.Event:
        return cast(p.Event, await self._stream.next())

    async def __aenter__(self) -> "Query[T]":
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self.aclose()

    async def _wait(self) -> RunResult[T]:
        try:
            return await asyncio.shield(self._result)
        except asyncio.CancelledError:
            await self.aclose()
            raise

    async def _work(self) -> None:
        try:
            result = await (self._answer(self._given) if self._given is not None else self._with_program())
        except BaseException as error:
            failure = error if isinstance(error, Exception) else PintleError(repr(error))
            self._result.set_exception(failure)
            self._result.exception()  # retrieved here in case only the iteration receives it
            self._stream.fail(again(failure))
            if not isinstance(error, Exception):
                raise
        else:
            self._result.set_result(result)
            self._stream.close()

    async def _with_program(self) -> RunResult[T]:
        client = Client(**self._own)
        backstop: Optional["asyncio.Task[None]"] = None
        try:
            await client.start()
            backstop = asyncio.ensure_future(self._stop_after_abort(client))
            return await self._answer(client)
        finally:
            if backstop is not None:
                backstop.cancel()
            await client.stop()

    async def _stop_after_abort(self, client: Client) -> None:
        """Stops a program that does not respond to the abort."""
        await self._aborted.wait()
        await asyncio.sleep(_ABORT_GRACE)
        await client.stop()

    async def _answer(self, session: Session) -> RunResult[T]:
        if self._aborted.is_set():
            return self.partial
        query: _SessionQuery[Any] = session.query(
            self._prompt, output_schema=cast(Any, self._output_schema), **self._of_prompt
        )
        self._query = query
        async for event in query:
            self._stream.push(cast(Dict[str, Any], event))
        return await query.result


@overload
def query(prompt: str, *, output_schema: Type[T], **options: "Unpack[RunOptions]") -> Query[T]: ...


@overload
def query(prompt: str, *, output_schema: AnyOutput = None, **options: "Unpack[RunOptions]") -> Query[Any]: ...


def query(
    prompt: str, *, output_schema: Union[Type[Any], AnyOutput] = None, **options: "Unpack[RunOptions]"
) -> Query[Any]:
    """Starts the program, sends the prompt, yields every event and stops the program."""
    return Query(prompt, output_schema, options)


@overload
async def run(prompt: str, *, output_schema: Type[T], **options: "Unpack[RunOptions]") -> RunResult[T]: ...


@overload
async def run(prompt: str, *, output_schema: AnyOutput = None, **options: "Unpack[RunOptions]") -> RunResult[Any]: ...


async def run(
    prompt: str, *, output_schema: Union[Type[Any], AnyOutput] = None, **options: "Unpack[RunOptions]"
) -> RunResult[Any]:
    """Starts the program, sends the prompt, returns the result of its run and stops the program."""
    running: Query[Any] = Query(prompt, output_schema, options, "run")
    running._stream.leave()  # nothing reads the events  # pyright: ignore[reportPrivateUsage]
    return await running.result
