"""Passes the server's questions to the host's handlers."""

from __future__ import annotations

import asyncio
from typing import Any, Awaitable, Callable, Dict, Iterable, Mapping, NamedTuple, Optional, Union

from . import _calls
from . import protocol as p
from ._faults import Tasks
from ._frames import Frame, is_mapping
from ._question_frames import expects_answer, handled_kind, withdrawn_id
from .errors import RpcClosedError, RpcCommandError
from .protocol import QUESTIONS

# Handlers are coroutines or plain functions; the latter run in a thread. A coroutine is cancelled when its answer is no longer
# needed.

# A string or a choice, yes or no, None to cancel; or the fields of the answer.
UiAnswer = Union[str, bool, None, Mapping[str, Any]]
UiHandler = Callable[[p.ExtensionUiRequest], Union[UiAnswer, Awaitable[UiAnswer]]]

# Only an explicit yes grants trust. A mapping has `trusted` and `remember`.
TrustAnswer = Union[bool, Mapping[str, Any]]
TrustHandler = Callable[[p.TrustRequest], Union[TrustAnswer, Awaitable[TrustAnswer]]]

# Only an explicit permission allows the call. A mapping has `decision`, and optionally `rules` and `note`.
ApprovalAnswer = Union[p.ApprovalDecision, None, Mapping[str, Any]]
ApprovalHandler = Callable[[p.ApprovalRequest], Union[ApprovalAnswer, Awaitable[ApprovalAnswer]]]

# The URL to which the browser was redirected. None if the user does not log in.
LoginAnswer = Optional[str]
LoginHandler = Callable[[p.McpAuthRequest], Union[LoginAnswer, Awaitable[LoginAnswer]]]

# "apply" or "discard"; a mapping has `action`, and optionally `reason`, `files`, `hunks` and `edits`. None leaves the decision to
# another handler or to the deadline.
PreviewAnswer = Union[str, None, Mapping[str, Any]]
PreviewHandler = Callable[[p.PendingActionInfo], Union[PreviewAnswer, Awaitable[PreviewAnswer]]]

# New totals for the budget's limits. With None the run waits for another answer, or ends at its deadline.
BudgetAnswer = Optional[p.BudgetAmounts]
BudgetHandler = Callable[[p.BudgetReachedEvent], Union[BudgetAnswer, Awaitable[BudgetAnswer]]]

# For `read`, the file's text; for `write`, anything but None. With None the file is not open here, and the server uses the disk.
FileAnswer = Union[str, bool, None]
FileHandler = Callable[[p.HostFsRequest], Union[FileAnswer, Awaitable[FileAnswer]]]

# A mapping with `output` and `exitCode`.
TerminalAnswer = Mapping[str, Any]
TerminalHandler = Callable[[p.HostTerminalRequest], Union[TerminalAnswer, Awaitable[TerminalAnswer]]]


def _ui_fields(answer: Any, _request: Frame) -> Mapping[str, Any]:
    if isinstance(answer, str):
        return {"value": answer}
    if isinstance(answer, bool):
        return {"confirmed": answer}
    fields: Mapping[str, Any] = answer if is_mapping(answer) else {"cancelled": True}
    return fields


def _trust_fields(answer: Any, _request: Frame) -> Mapping[str, Any]:
    fields: Mapping[str, Any] = answer if is_mapping(answer) else {"trusted": answer is True}
    return fields


def _approval_fields(answer: Any, _request: Frame) -> Mapping[str, Any]:
    fields: Mapping[str, Any] = answer if is_mapping(answer) else {"decision": "deny" if answer is None else answer}
    return fields


def _login_fields(answer: Any, _request: Frame) -> Mapping[str, Any]:
    return {"redirectUrl": answer} if isinstance(answer, str) else {"cancelled": True}


def _file_fields(answer: Any, request: Frame) -> Mapping[str, Any]:
    if request["method"] == "read" and isinstance(answer, str):
        return {"content": answer}
    return {"notOpen": True} if answer is None or answer is False else {}


def _terminal_fields(answer: Any, _request: Frame) -> Mapping[str, Any]:
    fields: Mapping[str, Any] = answer if is_mapping(answer) else {"error": "The host cannot do this"}
    return fields


class _Answering(NamedTuple):
    """How a kind of question is answered. Without a handler, or if it raises, the value is None."""

    method: str
    to_fields: Callable[[Any, Frame], Mapping[str, Any]]
    # The question is a request in place of a tool: the model receives what the handler raises.
    is_work: bool = False


_ANSWERING = {
    "dialog": _Answering("on_ui_request", _ui_fields),
    "trust": _Answering("on_trust_request", _trust_fields),
    "approval": _Answering("on_approval", _approval_fields),
    "mcp_auth": _Answering("on_mcp_auth", _login_fields),
    "host_fs": _Answering("on_file_request", _file_fields, True),
    "host_terminal": _Answering("on_terminal_request", _terminal_fields, True),
}


class QuestionParts:
    """What questions need from the session."""

    def send(self, frame: Frame) -> None:
        raise NotImplementedError

    async def request(self, command: str, params: Mapping[str, Any]) -> Any:
        raise NotImplementedError

    def declare(self, change: Dict[str, bool]) -> None:
        """Reports a changed capability to the server."""
        raise NotImplementedError

    def on_raise(self, what: str, error: BaseException) -> None:
        raise NotImplementedError


class Questions:
    """Passes questions to handlers. A question ends when it is answered or withdrawn; nothing is sent for a withdrawn one."""

    def __init__(self, parts: QuestionParts, tasks: Tasks) -> None:
        self._parts = parts
        self._tasks = tasks
        # Handlers by capability.
        self._handlers: Dict[str, Callable[..., Any]] = {}
        self._open: Dict[str, "asyncio.Task[Any]"] = {}
        # Previews staged before a handler was installed. The server repeats all other questions itself.
        self._unasked: Dict[str, Frame] = {}

    @property
    def capabilities(self) -> Dict[str, bool]:
        return {capability: True for capability in self._handlers}

    def install(self, capability: str, handler: Callable[..., Any]) -> Callable[[], None]:
        """Installs a handler, replacing the previous one. Returns a function that removes it."""
        is_new = capability not in self._handlers
        self._handlers[capability] = handler
        if is_new:
            self._parts.declare({capability: True})
        if capability == "resolvePreviews":
            for preview in list(self._unasked.values()):
                self._ask_preview(preview)

        def remove() -> None:
            if self._handlers.get(capability) is handler:
                del self._handlers[capability]
                self._parts.declare({capability: False})

        return remove

    def take(self, frame: Frame) -> bool:
        """Returns False if the frame is not a question."""
        withdrawn = withdrawn_id(frame)
        if withdrawn is not None:
            self._take_back(withdrawn)
            return True
        kind = handled_kind(frame)
        if kind is None:
            return False
        self._ask_in_frame(kind, frame)
        return True

    def handle(self, event: Frame) -> None:
        """Handles events: previews, budgets and resolved questions arrive as events."""
        kind = event["type"]
        if kind == "pending_action_added":
            self._ask_preview(event["action"])
        elif kind == "pending_action_resolved":
            self._take_back(event["actionId"])
        elif kind == "trust_resolved":
            self._take_back(event["id"])
        elif kind == "budget_reached":
            self._ask_budget(event)
        elif kind in ("agent_end", "worker_exited"):
            self._take_back("budget")

    def is_open(self, question_id: str) -> bool:
        return question_id in self._open

    def has_handler(self, frame: Frame) -> bool:
        """Returns False if the question would be answered without the user having seen it."""
        kind = handled_kind(frame)
        if kind is None or "isExclusive" in QUESTIONS[kind]:
            return True
        return QUESTIONS[kind]["capability"] in self._handlers

    def keep(self, question_ids: Iterable[str]) -> None:
        """Withdraws every question that is not in `question_ids`; it was resolved while this host was away."""
        kept = set(question_ids)
        for question_id in [*self._open, *self._unasked]:
            if question_id not in kept:
                self._take_back(question_id)

    def take_back_all(self) -> None:
        self.keep(())

    def _ask_in_frame(self, kind: str, request: Frame) -> None:
        method, to_fields, is_work = _ANSWERING[kind]
        capability, answer_type = QUESTIONS[kind]["capability"], QUESTIONS[kind]["answer"]

        def answer(value: Any) -> None:
            if expects_answer(kind, request):
                self._send(method, {"type": answer_type, "id": request["id"], **to_fields(value, request)})

        if is_work and capability not in self._handlers:
            answer(None)
        else:
            self._ask(capability, method, request["id"], request, _Failed(answer_type) if is_work else None, answer)

    def _ask_preview(self, preview: Frame) -> None:
        action_id = preview["actionId"]
        if "resolvePreviews" not in self._handlers:
            self._unasked[action_id] = preview
            return
        if action_id in self._open:
            return  # delivered twice

        async def answer(value: Any) -> None:
            if value is not None:
                fields: Mapping[str, Any] = value if is_mapping(value) else {"action": value}
                await self._decide("resolve_pending_action", {**fields, "actionId": action_id})

        failed = {"action": "discard", "reason": "The host's preview handler failed"}
        self._ask("resolvePreviews", "on_preview", action_id, preview, failed, answer)

    def _ask_budget(self, event: Frame) -> None:
        if "budgets" not in self._handlers:
            return

        async def answer(value: Any) -> None:
            if value is not None:
                await self._decide("raise_budget", dict(value))

        self._ask("budgets", "on_budget", "budget", event, None, answer)

    async def _decide(self, command: str, params: Mapping[str, Any]) -> None:
        try:
            await self._parts.request(command, params)
        except RpcClosedError:
            pass  # calls report a lost connection themselves
        except RpcCommandError as error:
            # Another host may have answered first. Named parts that do not exist any more are a mistake of the handler.
            if error.code != "not_found" or any(name in params for name in ("files", "hunks", "edits")):
                self._parts.on_raise(f"The handler behind {command}", error)

    def _ask(
        self,
        capability: str,
        what: str,
        question_id: str,
        request: Frame,
        when_raised: Any,
        answer: Callable[[Any], Any],
    ) -> None:
        """Without a handler, answers as if the handler could not decide."""
        handler = self._handlers.get(capability)

        async def ask() -> None:
            own = asyncio.current_task()
            value = when_raised
            try:
                if handler is not None:
                    value = await _calls.call(handler, request)
            except Exception as error:
                self._parts.on_raise(f"The handler of {what}", error)
                if isinstance(when_raised, _Failed):
                    value = when_raised.because(error)
            if self._open.get(question_id) is not own:
                return  # withdrawn
            del self._open[question_id]
            if isinstance(value, _Failed):
                self._send(what, value.frame(question_id))
                return
            done = answer(value)
            if done is not None:
                await done

        self._take_back(question_id)
        self._open[question_id] = self._tasks.start(ask())

    def _send(self, what: str, frame: Frame) -> None:
        """Sends an answer, which may contain values that are not JSON."""
        try:
            self._parts.send(frame)
        except (TypeError, ValueError) as error:
            self._parts.on_raise(f"The handler of {what}", error)

    def _take_back(self, question_id: str) -> None:
        self._unasked.pop(question_id, None)
        task = self._open.pop(question_id, None)
        if task is not None:
            task.cancel()


class _Failed:
    """A request that no handler answered; the model receives the error."""

    def __init__(self, kind: str, error: str = "The host cannot do this") -> None:
        self._kind = kind
        self._error = error

    def because(self, error: Exception) -> "_Failed":
        return _Failed(self._kind, str(error) or type(error).__name__)

    def frame(self, request_id: str) -> Frame:
        return {"type": self._kind, "id": request_id, "error": self._error}
