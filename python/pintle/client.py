"""Starts a server and speaks to it."""

from __future__ import annotations

import asyncio
import os
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import protocol as p
from ._process import ExitStatus, ServerProcess
from ._program import find_program
from .errors import RpcClosedError, RpcTimeoutError
from .session import Session, UpdateMode
from .tools import HostTool

Command = Union[Sequence[str], Callable[[List[str]], Sequence[str]]]

# Flags that choose the session to begin with, and whether a value follows.
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
    """A server as a process of its own: `async with Client() as client`."""

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
    ) -> None:
        """`command` is what is started, a command line to which the arguments are added, or a function that gives the whole
        one; without it the program is looked for. `env` is added to the environment of this process, None takes a variable
        away. `stop_grace` is how many seconds each step of `stop()` waits. `strict_host` is for tests: the server answers
        mistakes of the host as failures (`--strict-host`), and one that belongs to no call goes to `on_protocol_error`."""
        super().__init__(
            tools=tools, update_mode=update_mode, ready_timeout=ready_timeout, request_timeout=request_timeout
        )
        self._command = command
        self._cwd = None if cwd is None else os.fspath(cwd)
        self._env = env or {}
        self._flags: List[str] = [
            *(() if provider is None else ("--provider", provider)),
            *(() if model is None else ("--model", model)),
            *(() if session_dir is None else ("--session-dir", session_dir)),
            *(("--strict-host",) if strict_host else ()),
        ]
        self._args: Tuple[str, ...] = tuple(args)
        self._stop_grace = stop_grace
        self._stderr_limit = stderr_limit
        self._process: Optional[ServerProcess] = None
        self._session_file: Optional[str] = None
        self._is_starting = False
        self.on("session_info_changed", self._note_session_file)

    @property
    def session_file(self) -> Optional[str]:
        """Where the open session is stored, if it is. After a change it is known with the event that follows the answer."""
        return self._session_file

    @property
    def stderr(self) -> str:
        """The end of what the process wrote to stderr."""
        return "" if self._process is None else self._process.stderr

    @property
    def is_running(self) -> bool:
        return self._process is not None and not self._process.exited.done()

    async def exited(self) -> ExitStatus:
        """The end of the process that was started last."""
        if self._process is None:
            raise RpcClosedError("The client is not started")
        return await asyncio.shield(self._process.exited)

    async def start(self) -> p.Ready:
        """Done when the server is ready. Can be called again after `stop()`, and after the process has ended by itself."""
        return await self._start(self._args)

    async def stop(self) -> None:
        """Rejects everything that waits and ends the process."""
        self.disconnect()
        if self._process is not None:
            await self._process.stop(self._stop_grace)

    async def restart(self) -> p.Ready:
        """Starts anew, also after a crash, with the session that was open. Tools and handlers stay."""
        file = self._session_file
        await self.stop()
        is_stored = file is not None and os.path.exists(file)
        return await self._start(with_session(self._args, file) if file is not None and is_stored else self._args)

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
                await self._process.stop(self._stop_grace)  # the one before, which has ended by itself
            environment = self._environment()
            process = await ServerProcess.launch(
                self._command_line(["--mode", "rpc", *self._flags, *args], environment),
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
        if self._session_file is None:  # an event may have told a newer one
            self._session_file = ready.get("sessionFile")
        return ready

    def disconnect(self, reason: Optional[BaseException] = None) -> None:
        super().disconnect(reason)
        process = self._process
        if process is not None and reason is not None:
            # When the connection ends by itself, nothing of the process is left either.
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
    """The same arguments with this session instead of the one they choose: the program takes only one choice."""
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
