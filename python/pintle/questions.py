"""Passes the server's questions to the host's handlers."""

from __future__ import annotations

import asyncio
from typing import Any, Awaitable, Callable, Dict, Iterable, List, Literal, Mapping, Optional, TypedDict, Union

from . import _calls
from . import protocol as p
from ._faults import Tasks
from ._frames import Frame, is_mapping
from ._question_frames import expects_answer, handled_kind, withdrawn_id
from .errors import RpcClosedError, RpcCommandError
from .protocol import QUESTIONS


class _PreviewDecision(TypedDict):
    action: Literal["apply", "discard"]


class PreviewDecision(_PreviewDecision, total=False):
    """With `files`, `hunks` or `edits`, only these parts of the change are applied, and the rest is discarded."""

    reason: str
    files: List[str]
    hunks: List[str]
    # the whole new text of a file, instead of the proposed one
    edits: List[p.ResolvePendingActionEdit]


# None leaves the decision to another handler or to the deadline.
PreviewAnswer = Union[Literal["apply", "discard"], PreviewDecision, None]
PreviewHandler = Callable[[p.PendingActionInfo], Union[PreviewAnswer, Awaitable[PreviewAnswer]]]

# New totals for the budget's limits. With None the run waits for another answer, or ends at its deadline.
BudgetAnswer = Optional[p.BudgetAmounts]
BudgetHandler = Callable[[p.BudgetReachedEvent], Union[BudgetAnswer, Awaitable[BudgetAnswer]]]


def _answer_fields(handler: Mapping[str, Any], value: Any) -> Mapping[str, Any]:
    """Returns the fields of the answer that a handler's value stands for."""
    none: Mapping[str, Any] = handler["none"]
    if is_mapping(value):
        answer: Mapping[str, Any] = value
        return answer
    if isinstance(value, str) and "text" in handler:
        return {handler["text"]: value}
    if isinstance(value, bool):
        fields: Mapping[str, Any] = handler.get("yes" if value else "no", none)
        return fields
    return none


# As the value of a failed handler: the model receives what it raised.
_ERROR = object()


class _Failed:
    """What a handler raised, for the model."""

    def __init__(self, error: Exception) -> None:
        self.text = str(error) or type(error).__name__


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
        row = QUESTIONS[kind]
        handler = row["handler"]

        def answer(value: Any) -> None:
            if expects_answer(kind, request):
                fields = {"error": value.text} if isinstance(value, _Failed) else _answer_fields(handler, value)
                self._send(handler["method"], {"type": row["answer"], "id": request["id"], **fields})

        failed = _ERROR if "reportsErrors" in handler else None
        self._ask(row["capability"], handler["method"], request["id"], request, failed, answer)

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
            value: Any = None
            try:
                if handler is not None:
                    value = await _calls.call(handler, request)
            except Exception as error:
                self._parts.on_raise(f"The handler of {what}", error)
                value = _Failed(error) if when_raised is _ERROR else when_raised
            if self._open.get(question_id) is not own:
                return  # withdrawn
            del self._open[question_id]
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
