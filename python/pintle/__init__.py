"""Embeds pintle, a coding agent, in a Python program. This package is the asyncio client; `pintle.sync` offers the same without
asyncio."""

from __future__ import annotations

from . import protocol, results
from ._exchange import Transport
from ._kept_connection import Reconnect
from ._process import ExitStatus
from ._version import VERSION as __version__
from .client import Client
from .errors import (
    PintleError,
    ProgramNotFoundError,
    RpcClosedError,
    RpcCommandError,
    RpcConflictError,
    RpcLaggedError,
    RpcListenerError,
    RpcProtocolError,
    RpcRefusedError,
    RpcTimeoutError,
)
from .gateway import GatewayClient, GatewaySession
from .once import Query, query, run
from .runs import Run, RunResult
from .session import Session
from .tools import HostTool, ToolContext, tool

__all__ = [
    "Client",
    "ExitStatus",
    "GatewayClient",
    "GatewaySession",
    "HostTool",
    "PintleError",
    "ProgramNotFoundError",
    "Query",
    "Reconnect",
    "RpcClosedError",
    "RpcCommandError",
    "RpcConflictError",
    "RpcLaggedError",
    "RpcListenerError",
    "RpcProtocolError",
    "RpcRefusedError",
    "RpcTimeoutError",
    "Run",
    "RunResult",
    "Session",
    "ToolContext",
    "Transport",
    "__version__",
    "protocol",
    "query",
    "results",
    "run",
    "tool",
]
