"""Starts a server process and talks to it."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union, cast

from . import protocol as p
from ._options import ClientOptions, SetupOptions, check_names, flag_args
from ._output import OutputSchema
from ._process import ExitStatus, ServerProcess
from ._program import find_program
from .errors import RpcClosedError, RpcTimeoutError
from .session import Session, UpdateMode
from .tools import HostTool

if TYPE_CHECKING:
    from typing_extensions import Unpack

Command = Union[Sequence[str], Callable[[List[str]], Sequence[str]]]

# Flags that choose the initial session, and whether a value follows.
_SESSION_FLAGS = {
    "--continue": "never",
    "-c": "never",
    "--resume": "maybe",
    "-r": "maybe",
    "--session": "always",
    "--session-id": "always",
    "--fork": "always",
}


class Client(Session):
    """Runs a server as a child process: `async with Client() as client`."""

    def __init__(
        self,
        *,
        command: Optional[Command] = None,
        cwd: Optional[Union[str, "os.PathLike[str]"]] = None,
        env: Optional[Mapping[str, Optional[str]]] = None,
        provider: Optional[str] = None,
        model: Optional[str] = None,
        session_dir: Optional[str] = None,
        strict_host: bool = False,
        args: Sequence[str] = (),
        tools: Sequence[HostTool] = (),
        update_mode: Optional[UpdateMode] = None,
        ready_timeout: float = 30.0,
        request_timeout: float = 30.0,
        stop_grace: float = 1.0,
        stderr_limit: int = 64 * 1024,
        output_schema: Optional[OutputSchema] = None,
        **options: "Unpack[ClientOptions]",
    ) -> None:
        """`command` is the program to start: a command line to which the arguments are appended, or a function that returns the
        whole command line. By default the program is searched for. `env` is added to this process's environment; None removes
        a variable. `stop_grace` is how many seconds each step of `stop()` waits. `strict_host` is for tests: the server
        reports mistakes of the host as failures (`--strict-host`), and those that belong to no call go to `on_protocol_error`.
        `options` are those of the command line (`permissions`, `no_session` …), `policy`, `budget` and one handler per
        question (`on_approval` …). An option that conflicts with `args` raises a TypeError."""
        check_names(options, ClientOptions, "Client")
        every: Dict[str, Any] = {**options, "output_schema": output_schema, "strict_host": strict_host}
        every.update({"provider": provider, "model": model, "session_dir": session_dir})
        flags = flag_args(every, args)
        setup = {name: value for name, value in every.items() if name in SetupOptions.__annotations__}
        super().__init__(
            tools=tools,
            update_mode=update_mode,
            ready_timeout=ready_timeout,
            request_timeout=request_timeout,
            output_schema=output_schema,
            **cast(SetupOptions, setup),
        )
        self._command = command
        self._cwd = None if cwd is None else os.fspath(cwd)
        self._env = env or {}
        self._flags = flags
        # Without the choice of the initial session, for a restart with the open one.
        self._lasting_flags = flag_args({**every, "session": None}, args)
        self._args: Tuple[str, ...] = tuple(args)
        self._stop_grace = stop_grace
        self._stderr_limit = stderr_limit
        self._process: Optional[ServerProcess] = None
        self._session_file: Optional[str] = None
        self._is_starting = False
        self.on("session_info_changed", self._note_session_file)

    @property
    def session_file(self) -> Optional[str]:
        """The path of the open session, if it is stored. After switching sessions, the event that follows the response updates
        it."""
        return self._session_file

    @property
    def stderr(self) -> str:
        """The last part of what the process wrote to stderr."""
        return "" if self._process is None else self._process.stderr

    @property
    def is_running(self) -> bool:
        return self._process is not None and not self._process.exited.done()

    async def exited(self) -> ExitStatus:
        """Waits for the most recently started process to exit."""
        if self._process is None:
            raise RpcClosedError("The client is not started")
        return await asyncio.shield(self._process.exited)

    async def start(self) -> p.Ready:
        """Returns when the server is ready. Can be called again after `stop()` or after the process has exited."""
        return await self._start([*self._flags, *self._args])

    async def stop(self) -> None:
        """Rejects everything that is waiting and ends the process."""
        self.disconnect()
        if self._process is not None:
            await self._process.stop(self._stop_grace)

    async def restart(self) -> p.Ready:
        """Restarts the process, also after a crash, and reopens the session. Tools and handlers are kept."""
        file = self._session_file
        await self.stop()
        is_stored = file is not None and os.path.exists(file)
        if file is None or not is_stored:
            return await self._start([*self._flags, *self._args])
        return await self._start([*self._lasting_flags, *with_session(self._args, file)])

    def _place(self) -> Dict[str, Any]:
        return {**super()._place(), "session_file": self._session_file}

    async def __aenter__(self) -> "Client":
        await self.start()
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self.stop()

    async def _start(self, args: Sequence[str]) -> p.Ready:
        if self._is_starting or self._exchange.is_open:
            raise RuntimeError("Client already started")
        self._is_starting = True
        try:
            if self._process is not None:
                await self._process.stop(self._stop_grace)  # the previous one, which exited on its own
            environment = self._environment()
            process = await ServerProcess.launch(
                self._command_line(["--mode", "rpc", *args], environment),
                cwd=self._cwd,
                env=environment,
                stderr_limit=self._stderr_limit,
            )
            self._process = process
            self._session_file = None
            try:
                ready = await self.connect(process)
            except RpcTimeoutError as error:
                await process.stop(self._stop_grace)
                raise RpcTimeoutError(f"{error}\n{process.stderr}".rstrip()) from None
            except BaseException:
                await process.stop(self._stop_grace)
                raise
        finally:
            self._is_starting = False
        if self._session_file is None:  # an event may have reported a newer one
            self._session_file = ready.get("sessionFile")
        return ready

    def disconnect(self, reason: Optional[BaseException] = None) -> None:
        super().disconnect(reason)
        process = self._process
        if process is not None and reason is not None:
            # Clean up the process when the connection ends on its own.
            self._tasks.start(process.stop(self._stop_grace))

    def _environment(self) -> Mapping[str, str]:
        given: Dict[str, Optional[str]] = {**os.environ, **self._env}
        return {name: value for name, value in given.items() if value is not None}

    def _command_line(self, args: List[str], environment: Mapping[str, str]) -> Sequence[str]:
        if callable(self._command):
            return self._command(args)
        if self._command is not None:
            return [*self._command, *args]
        return [find_program(environment), *args]

    def _note_session_file(self, event: Any) -> None:
        self._session_file = event.get("sessionFile")


def with_session(args: Sequence[str], file: str) -> List[str]:
    """Returns the arguments with this session in place of the one they choose, because the program accepts only one choice."""
    others: List[str] = []
    is_value = False
    for index, arg in enumerate(args):
        if is_value:
            is_value = False
            continue
        flag = arg.split("=", 1)[0]
        value = _SESSION_FLAGS.get(flag)
        if value is None:
            others.append(arg)
        elif flag == arg:
            follows = args[index + 1] if index + 1 < len(args) else None
            is_value = value == "always" or (value == "maybe" and follows is not None and not follows.startswith("-"))
    return [*others, "--session", file]
