"""A running server: its pipes as a transport, the tail of its stderr, and its exit status."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import dataclass
from typing import Any, Awaitable, Callable, Mapping, Optional, Sequence, Union, cast

from .errors import ProgramNotFoundError, RpcClosedError

# How long to wait for remaining output after the process has exited, or for the process after its output has ended.
_LINGER = 0.5
# On Windows: do not open a console window.
_NO_WINDOW = 0x08000000
_STDIN, _STDOUT, _STDERR = 0, 1, 2


@dataclass(frozen=True)
class ExitStatus:
    """How a process ended. One field is None, or both if it could not be started."""

    code: Optional[int]
    signal: Optional[str]


class ServerProcess(asyncio.SubprocessProtocol):
    """Reads the pipes in chunks of any size, so the length of a line is not limited here."""

    def __init__(self, stderr_limit: int) -> None:
        self._stderr_limit = stderr_limit
        self._stderr = bytearray()
        self._loop = asyncio.get_running_loop()
        self._transport: Optional[asyncio.SubprocessTransport] = None
        self._room: Optional["asyncio.Future[None]"] = None
        self._on_data: Callable[[bytes], None] = lambda _data: None
        self._on_close: Optional[Callable[[Optional[BaseException]], None]] = None
        self._early = bytearray()
        self._is_output_over = False
        self._is_told = False
        self._timer: Optional[asyncio.TimerHandle] = None
        self._exited: "asyncio.Future[ExitStatus]" = self._loop.create_future()
        self._closed: "asyncio.Future[None]" = self._loop.create_future()
        self._stopping: Optional["asyncio.Task[None]"] = None

    @classmethod
    async def launch(
        cls, command: Sequence[str], *, cwd: Optional[str], env: Mapping[str, str], stderr_limit: int
    ) -> "ServerProcess":
        loop = asyncio.get_running_loop()
        flags = _NO_WINDOW if os.name == "nt" else 0
        try:
            _transport, process = await loop.subprocess_exec(
                lambda: cls(stderr_limit), *command, cwd=cwd, env=dict(env), creationflags=flags
            )
        except OSError as error:
            raise ProgramNotFoundError(f"The server could not be started: {_why(error, command, cwd)}") from error
        return process

    @property
    def exited(self) -> "asyncio.Future[ExitStatus]":
        return self._exited

    @property
    def stderr(self) -> str:
        text = self._stderr.decode("utf-8", "replace")
        # The first character may be cut off.
        return text.lstrip("\ufffd") if len(self._stderr) == self._stderr_limit else text

    # Transport.

    def start(self, on_data: Callable[[bytes], None], on_close: Callable[[Optional[BaseException]], None]) -> None:
        self._on_data, self._on_close = on_data, on_close
        early, self._early = bytes(self._early), bytearray()
        if early:
            on_data(early)
        self._look_for_end()

    def write(self, data: bytes) -> None:
        pipe = self._pipe(_STDIN)
        if pipe is not None and not pipe.is_closing():
            cast(asyncio.WriteTransport, pipe).write(data)

    def room(self) -> Optional[Awaitable[object]]:
        return None if self._room is None else asyncio.shield(self._room)

    def close(self) -> None:
        """Closes stdin, which makes the server exit."""
        pipe = self._pipe(_STDIN)
        if pipe is not None:
            pipe.close()
        self._free()

    async def stop(self, grace: float) -> None:
        """Closes stdin; a process that does not exit is terminated, then killed. A cancellation
        kills it immediately."""
        if self._stopping is None:
            self._stopping = self._loop.create_task(self._stop(grace))
        elif self._stopping.done():
            return  # also if its loop is gone
        try:
            await asyncio.shield(self._stopping)
        except asyncio.CancelledError:
            self._kill()
            raise

    def _kill(self) -> None:
        if self._transport is not None and not self._exited.done():
            self._transport.kill()

    async def _stop(self, grace: float) -> None:
        try:
            self.close()
            for end in ("terminate", "kill"):
                if await self._is_gone_within(self._exited, grace):
                    break
                if self._transport is not None:
                    getattr(self._transport, end)()
            await asyncio.shield(self._exited)
            await self._is_gone_within(self._closed, _LINGER)
        except asyncio.CancelledError:
            self._kill()
            await asyncio.shield(self._exited)
            raise
        finally:
            # A grandchild that holds the pipes open must not keep this program alive.
            if self._transport is not None:
                self._transport.close()

    @staticmethod
    async def _is_gone_within(what: "asyncio.Future[Any]", seconds: float) -> bool:
        await asyncio.wait({what}, timeout=seconds)
        return what.done()

    def _pipe(self, number: int) -> Optional[asyncio.BaseTransport]:
        return None if self._transport is None else self._transport.get_pipe_transport(number)

    def _free(self) -> None:
        room, self._room = self._room, None
        if room is not None and not room.done():
            room.set_result(None)

    # Callbacks of the loop.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.SubprocessTransport, transport)

    def pause_writing(self) -> None:
        if self._room is None:
            self._room = self._loop.create_future()

    def resume_writing(self) -> None:
        self._free()

    def pipe_data_received(self, fd: int, data: Union[bytes, str]) -> None:
        chunk = data.encode() if isinstance(data, str) else data
        if fd == _STDERR:
            self._stderr += chunk
            del self._stderr[: max(0, len(self._stderr) - self._stderr_limit)]
        elif self._on_close is None:
            self._early += chunk
        elif not self._is_told:
            self._on_data(chunk)

    def pipe_connection_lost(self, fd: int, exc: Optional[Exception]) -> None:
        if fd == _STDIN:
            self._free()
        if fd == _STDOUT:
            self._is_output_over = True
            self._look_for_end()

    def process_exited(self) -> None:
        code = None if self._transport is None else self._transport.get_returncode()
        if not self._exited.done():
            is_signal = code is not None and code < 0
            self._exited.set_result(ExitStatus(None, _signal_name(-cast(int, code))) if is_signal else ExitStatus(code, None))
        self._free()
        self._look_for_end()

    def connection_lost(self, exc: Optional[Exception]) -> None:
        if not self._closed.done():
            self._closed.set_result(None)
        self._look_for_end()

    def _look_for_end(self) -> None:
        """Reports the end once both the process and its output have ended, or one of them has and the other has had its time."""
        if self._on_close is None or self._is_told:
            return
        is_exited = self._exited.done()
        if is_exited and (self._is_output_over or self._closed.done()):
            self._tell_end()
        elif (is_exited or self._is_output_over) and self._timer is None:
            self._timer = self._loop.call_later(_LINGER, self._tell_end)

    def _tell_end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._is_told or self._on_close is None:
            return
        self._is_told = True
        self._on_close(self._reason())

    def _reason(self) -> RpcClosedError:
        if not self._exited.done():
            return RpcClosedError("The server closed its output", stderr=self.stderr)
        status = self._exited.result()
        how = f"exited with code {status.code}" if status.signal is None else f"was killed by {status.signal}"
        return RpcClosedError(f"The server {how}", code=status.code, signal=status.signal, stderr=self.stderr)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _why(error: OSError, command: Sequence[str], cwd: Optional[str]) -> str:
    """Explains a failed start. The system reports a missing program and a missing directory with the same error."""
    if cwd is not None and not os.path.isdir(cwd):
        return f"the directory {cwd} does not exist"
    return f"{command[0]}: {error.strerror or error}"
