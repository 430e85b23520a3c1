"""What calls raise."""

from __future__ import annotations

from typing import Optional

_SHOWN_CHARACTERS = 200


class PintleError(Exception):
    """Everything that this package raises by itself."""

    def again(self) -> "PintleError":
        """The same for another waiter: an exception that is raised twice would mix up its tracebacks."""
        return self


class RpcCommandError(PintleError):
    """A command was refused or has failed. `error` is for people, `code` for programs."""

    def __init__(self, command: str, error: str, code: Optional[str] = None) -> None:
        super().__init__(f"{command}: {error}")
        self.command = command
        self.error = error
        self.code = code

    def again(self) -> "RpcCommandError":
        return RpcCommandError(self.command, self.error, self.code)


class RpcTimeoutError(PintleError, TimeoutError):
    """An answer took too long."""


class RpcClosedError(PintleError, ConnectionError):
    """There is no connection, or it ended while something was waiting."""

    def __init__(
        self,
        message: str,
        *,
        code: Optional[int] = None,
        signal: Optional[str] = None,
        stderr: str = "",
    ) -> None:
        super().__init__(message if stderr.strip() == "" else f"{message}\n{stderr.rstrip()}")
        self._message = message
        # Of the process, if there was one and it has ended.
        self.code = code
        self.signal = signal
        # The end of what the process wrote to stderr.
        self.stderr = stderr

    def again(self) -> "RpcClosedError":
        return RpcClosedError(self._message, code=self.code, signal=self.signal, stderr=self.stderr)


class ProgramNotFoundError(RpcClosedError):
    """There is no program to start."""


class RpcLaggedError(PintleError):
    """A reader of events was so far behind that events had to be dropped."""


class RpcProtocolError(PintleError):
    """What came cannot be a frame, or cannot be tied to anything that was sent. The connection goes on."""

    def __init__(self, message: str, line: str) -> None:
        super().__init__(message)
        # The beginning of the line.
        self.line = line[:_SHOWN_CHARACTERS]


class RpcListenerError(PintleError):
    """A listener or handler of the host has raised; `__cause__` is what."""

    def __init__(self, what: str, cause: BaseException) -> None:
        super().__init__(f"{what} has raised {type(cause).__name__}: {cause}")
        self.__cause__ = cause


class RpcRefusedError(PintleError):
    """The server does not let this host in. `status` is that of HTTP: 401 for a token that is missing or wrong, 403 for a
    name that may not connect, 429 for too many attempts."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status

    @property
    def is_final(self) -> bool:
        """Another attempt would end the same."""
        return self.status in (401, 403)

    def again(self) -> "RpcRefusedError":
        return RpcRefusedError(self.status, str(self))


def again(error: BaseException) -> BaseException:
    return error.again() if isinstance(error, PintleError) else error
