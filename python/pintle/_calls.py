"""Runs functions of the host: coroutines on the loop, plain functions in a thread of their own."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from typing import Any, Callable


async def call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Runs a plain function in a thread, because it may block. If the call is cancelled, its result is dropped. A thread cannot
    be stopped, but as a daemon it does not keep the program alive."""
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None)):
        return await function(*args, **kwargs)
    result = await _in_thread(lambda: function(*args, **kwargs))
    return await result if inspect.isawaitable(result) else result


async def _in_thread(function: Callable[[], Any]) -> Any:
    loop = asyncio.get_running_loop()
    future: "asyncio.Future[Any]" = loop.create_future()
    context = contextvars.copy_context()

    def settle(result: Any, error: Any) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)

    def work() -> None:
        result: Any = None
        error: Any = None
        try:
            result = context.run(function)
        except StopIteration as raised:  # cannot be stored in a future
            error = RuntimeError(f"StopIteration: {raised}")
        except BaseException as raised:
            error = raised
        try:
            loop.call_soon_threadsafe(settle, result, error)
        except RuntimeError:
            pass  # the loop is closed, and nothing waits any more

    threading.Thread(target=work, name="pintle-call", daemon=True).start()
    return await future
