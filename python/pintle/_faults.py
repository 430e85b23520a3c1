"""Reports faults that no call can raise."""

from __future__ import annotations

import logging
from typing import Any, Callable, Coroutine, List, Set, Union

import asyncio

from .errors import RpcListenerError, RpcProtocolError

Fault = Union[RpcProtocolError, RpcListenerError]
FaultListener = Callable[[Fault], object]

_log = logging.getLogger("pintle")


class FaultReport:
    """Distributes faults to listeners. Errors in the host's own code are bugs, so they are logged if nothing listens."""

    def __init__(self) -> None:
        self._listeners: List[FaultListener] = []

    def on_fault(self, listener: FaultListener) -> Callable[[], None]:
        return add_listener(self._listeners, listener)

    def report(self, fault: Fault) -> None:
        if not self._listeners and isinstance(fault, RpcListenerError):
            _log.error("%s", fault, exc_info=fault.__cause__)
        for listener in list(self._listeners):
            try:
                listener(fault)
            except Exception:
                _log.exception("A listener for faults has raised")

    def raised(self, what: str, error: BaseException) -> None:
        self.report(RpcListenerError(what, error))


def add_listener(listeners: List[Any], listener: Any) -> Callable[[], None]:
    """Adds a listener. Returns a function that removes this registration; the same function may be added twice."""
    entry = [listener]

    def call(*args: Any) -> Any:
        return entry[0](*args)

    listeners.append(call)

    def remove() -> None:
        if call in listeners:
            listeners.remove(call)

    return remove


class Tasks:
    """Background tasks that end with their owner. Keeps references, because the loop holds only weak ones."""

    def __init__(self, on_raise: Callable[[BaseException], None]) -> None:
        self._tasks: Set["asyncio.Task[Any]"] = set()
        self._on_raise = on_raise

    def start(self, work: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def cancel_all(self) -> None:
        for task in list(self._tasks):
            task.cancel()

    def _done(self, task: "asyncio.Task[Any]") -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._on_raise(error)
