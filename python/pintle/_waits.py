"""Tracks everything that calls wait for."""

from __future__ import annotations

import asyncio
from typing import Any, Callable, Optional, Set, TypeVar

from .errors import RpcTimeoutError, again

T = TypeVar("T")


class Waits:
    """Each wait ends exactly once and leaves no timer or future behind."""

    def __init__(self) -> None:
        self._open: Set["asyncio.Future[Any]"] = set()

    def future(self) -> "asyncio.Future[Any]":
        """Creates a future that `reject_all` reaches. The caller passes it to `wait`."""
        future: "asyncio.Future[Any]" = asyncio.get_running_loop().create_future()
        self._open.add(future)
        return future

    async def wait(
        self,
        future: "asyncio.Future[T]",
        what: str,
        timeout: Optional[float],
        is_extended: Callable[[], bool] = lambda: False,
    ) -> T:
        """`is_extended` is called when the time is up; returning True extends it by the same time."""
        try:
            while not future.done():
                # asyncio.wait does not cancel the future, and a cancellation ends it.
                await asyncio.wait({future}, timeout=timeout)
                if not future.done() and timeout is not None and not is_extended():
                    raise RpcTimeoutError(f"{what} took longer than {timeout:g} s")
            return future.result()
        finally:
            self.forget(future)

    def forget(self, future: "asyncio.Future[Any]") -> None:
        self._open.discard(future)
        if not future.done():
            future.cancel()
        elif not future.cancelled():
            future.exception()  # mark as retrieved, so that the loop does not report it

    def reject_all(self, error: BaseException) -> None:
        for future in list(self._open):
            if not future.done():
                future.set_exception(again(error))
