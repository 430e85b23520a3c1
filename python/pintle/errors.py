"""Exceptions that calls raise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    from .runs import RunResult

_SHOWN_CHARACTERS = 200


class PintleError(Exception):
    """Base class of all exceptions of this package."""

    def again(self) -> "PintleError":
        """Returns a copy for another waiter, because raising one exception twice would mix up its tracebacks."""
        return self


class RpcCommandError(PintleError):
    """A command was rejected or failed. `error` is for people, `code` for programs."""

    def __init__(self, command: str, error: str, code: Optional[str] = None) -> None:
        super().__init__(f"{command}: {error}")
        self.command = command
        self.error = error
        self.code = code

    def again(self) -> "RpcCommandError":
        return RpcCommandError(self.command, self.error, self.code)


class RpcConflictError(RpcCommandError):
    """A command failed with the code `conflict`: something else has changed the files since. Repeat it with `on_conflict`, if
    it has one."""

    def __init__(self, command: str, error: str) -> None:
        super().__init__(command, error, "conflict")

    def again(self) -> "RpcConflictError":
        return RpcConflictError(self.command, self.error)


class RpcTimeoutError(PintleError, TimeoutError):
    """A response or event did not arrive in time."""

    # The run so far, if the call was waiting for a run.
    partial: "Optional[RunResult[Any]]" = None


class RpcClosedError(PintleError, ConnectionError):
    """There is no connection, or it closed while a call was waiting."""

    # The run so far, if the call was waiting for a run.
    partial: "Optional[RunResult[Any]]" = None

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
        # Exit code of the process, if there was one and it has ended.
        self.code = code
        self.signal = signal
        # The last part of what the process wrote to stderr.
        self.stderr = stderr

    def again(self) -> "RpcClosedError":
        error = RpcClosedError(self._message, code=self.code, signal=self.signal, stderr=self.stderr)
        error.partial = self.partial
        return error


class ProgramNotFoundError(RpcClosedError):
    """The program to start was not found."""


class RpcLaggedError(PintleError):
    """A reader of events lagged so far behind that events had to be dropped."""


class RpcProtocolError(PintleError):
    """Reports data that is not a frame, or that matches no request. The connection stays open."""

    def __init__(self, message: str, line: str) -> None:
        super().__init__(message)
        # The start of the offending line.
        self.line = line[:_SHOWN_CHARACTERS]


class RpcListenerError(PintleError):
    """A listener or handler of the host raised; `__cause__` holds the exception."""

    def __init__(self, what: str, cause: BaseException) -> None:
        super().__init__(f"{what} has raised {type(cause).__name__}: {cause}")
        self.__cause__ = cause


class RpcRefusedError(PintleError):
    """The server rejected this host. `status` is the HTTP status: 401 for a missing or wrong token, 403 for a host name that may
    not connect, 429 for too many attempts."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status

    @property
    def is_final(self) -> bool:
        """True if retrying cannot succeed."""
        return self.status in (401, 403)

    def again(self) -> "RpcRefusedError":
        return RpcRefusedError(self.status, str(self))


def again(error: BaseException) -> BaseException:
    return error.again() if isinstance(error, PintleError) else error
