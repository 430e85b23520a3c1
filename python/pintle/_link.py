"""A session's way over a connection that may be lost and come back."""

from __future__ import annotations

import asyncio
import re
from typing import Any, Awaitable, Callable, Dict, List, Mapping, Optional, Protocol, Set, Tuple

from ._frames import Frame
from .errors import PintleError, RpcClosedError

# Answers to questions; everything else that a session object sends is a command.
_ANSWERS = frozenset(
    [
        "extension_ui_response",
        "host_tool_update",
        "host_tool_result",
        "approval_response",
        "mcp_auth_response",
        "trust_response",
        "host_fs_result",
        "host_terminal_result",
    ]
)
# Never held back: the answer to a command may depend on them.
_QUESTIONS = frozenset(
    [
        "host_tool_call",
        "host_tool_cancel",
        "extension_ui_request",
        "trust_request",
        "approval_request",
        "approval_cancel",
        "mcp_auth_request",
        "mcp_auth_cancel",
        "host_fs_request",
        "host_terminal_request",
    ]
)
_PROMPTS = frozenset(["prompt", "abort_and_prompt", "continue_run"])
# Why events wait until the caller has its session.
BEGIN = "begin"
_READING = re.compile(r"(?:get|list)_")
# A process that is about to end may take five seconds.
_RETRY_SECONDS = [0.1, 0.2, 0.4, 0.8, *[1.0] * 20]
# What a server remembers for one connection only.
_REMEMBERED = frozenset(["set_host_tools", "set_host_capabilities", "set_update_mode", "set_event_filter"])


class LinkListener(Protocol):
    """What the session object is told beyond frames."""

    def is_busy(self) -> bool:
        """Something waits for the end of a run."""
        ...

    def on_away(self) -> None: ...

    def on_interrupted(self, reason: str) -> None:
        """What ran has ended with the server."""
        ...

    def on_caught_up(self, state: Mapping[str, Any]) -> None: ...

    def on_link_fault(self, what: str, error: PintleError) -> None: ...


class _ConnectionState:
    """What the next connection must hear again."""

    def __init__(self) -> None:
        self._commands: Dict[str, Frame] = {}

    def accepted(self, command: Frame) -> None:
        """The server has taken the command."""
        kind = command["type"]
        if kind in _REMEMBERED:
            older = self._commands.get(kind, {}) if kind == "set_host_capabilities" else {}
            self._commands[kind] = {**older, **command}

    def commands(self) -> List[Frame]:
        return list(self._commands.values())

    def defaults(self) -> Tuple[List[Frame], List[Frame]]:
        """Without a session these commands count for the sessions that are attached to afterwards: how to say so before an
        attachment, and how to take it back behind it."""
        said = [_without(command, "id", "sessionId") for command in self.commands() if command["type"] != "set_host_tools"]
        return said, [_cleared(command) for command in said]


def _without(frame: Frame, *keys: str) -> Frame:
    return {key: value for key, value in frame.items() if key not in keys}


def _cleared(command: Frame) -> Frame:
    kind = command["type"]
    if kind == "set_host_capabilities":
        return {"type": kind, **{name: False for name in command if name != "type"}}
    return {"type": kind, "mode": "full"} if kind == "set_update_mode" else {"type": kind}


class _HoldableOrder:
    """Actions in their order, at once or, while there is a reason to hold them, when the last reason is gone."""

    def __init__(self) -> None:
        self._reasons: Set[str] = set()
        self._waiting: List[Callable[[], None]] = []

    @property
    def is_holding(self) -> bool:
        return bool(self._reasons)

    @property
    def length(self) -> int:
        return len(self._waiting)

    def run(self, action: Callable[[], None]) -> None:
        if self._reasons:
            self._waiting.append(action)
        else:
            action()

    def hold(self, reason: str) -> None:
        self._reasons.add(reason)

    def release(self, reason: str) -> None:
        self._reasons.discard(reason)
        while not self._reasons and self._waiting:
            self._waiting.pop(0)()

    def cut(self, length: int) -> None:
        """Those behind the first so many are forgotten."""
        del self._waiting[length:]


class SessionLink:
    """Commands without an answer are sent again under the same key, frames that were missed are fetched with the cursor, and
    what arrives twice is told once."""

    def __init__(
        self,
        session_id: str,
        prefix: str,
        open_params: Mapping[str, Any],
        attach_params: Mapping[str, Any],
        send: Callable[[Frame], None],
        room: Callable[[], Optional[Awaitable[object]]],
        cursor: Mapping[str, Any],
    ) -> None:
        """`prefix` is what ids of commands begin with: no other host of the session has the same. `open_params` say how the
        session is opened again when the server has been started anew."""
        self.session_id = session_id
        self.cursor: Mapping[str, Any] = cursor
        self._prefix = prefix
        self._open_params = open_params
        self._attach_params = attach_params
        self._send_frame = send
        self._room = room
        self._memory = _ConnectionState()
        # Of events, not of answers and questions.
        self._order = _HoldableOrder()
        # Commands of the session object without an answer, in the order of sending.
        self._unanswered: Dict[str, Frame] = {}
        # Commands of the link itself.
        self._own: Dict[str, Callable[[Frame], None]] = {}
        self._own_commands = 0
        # How many connections were lost so far.
        self._connections = 0
        self._is_closed = False
        self._listener: Optional[LinkListener] = None
        # While a snapshot is not whole: where to go on if it never will be.
        self._before_snapshot: Optional[Tuple[Mapping[str, Any], int]] = None
        # The server was asked how the session is now.
        self._awaits_state = False
        self._away: Optional["asyncio.Future[None]"] = None
        self._on_frame: Callable[[Frame], None] = lambda _frame: None
        self._on_close: Callable[[Optional[BaseException]], None] = lambda _reason: None

    @property
    def is_away(self) -> bool:
        return self._away is not None

    def listen(self, listener: LinkListener) -> None:
        self._listener = listener

    # The transport of the session object.

    def start_frames(self, on_frame: Callable[[Frame], None], on_close: Callable[[Optional[BaseException]], None]) -> None:
        self._on_frame, self._on_close = on_frame, on_close

    def room(self) -> Optional[Awaitable[object]]:
        return asyncio.shield(self._away) if self._away is not None else self._room()

    def send(self, frame: Frame) -> None:
        if frame["type"] in _ANSWERS:
            self._send_frame({**frame, "sessionId": self.session_id})
            return
        if frame["type"] in _PROMPTS:
            # Its sender has the session: what was missed is told before the answer, or its end would be taken for that of this run.
            self._order.release(BEGIN)
        key = f"{self._prefix}{frame['id']}"
        command = {**frame, "id": key, "sessionId": self.session_id}
        # What counts for one connection must be said on the next one again, not looked up.
        if frame["type"] not in _REMEMBERED:
            command["commandKey"] = key
        self._send_frame(command)  # raises if it is no JSON
        self._unanswered[key] = command

    # What the gateway tells.

    def close(self, reason: PintleError) -> None:
        self._is_closed = True
        self._on_close(reason)
        self._end_away()

    def lost(self) -> None:
        """The connection is gone."""
        if self._away is None:
            self._away = asyncio.get_running_loop().create_future()
            if self._listener is not None:
                self._listener.on_away()
        self._connections += 1
        self._own.clear()
        if self._before_snapshot is not None:
            self._forget_snapshot(*self._before_snapshot)

    def attach(self, epoch: str) -> None:
        """There is a connection again; `epoch` is that of its server."""
        # What is replayed passes the filter and the abilities of the moment, so these come before it.
        said, cleared = self._memory.defaults()
        for command in said:
            self._ask(command["type"], _without(command, "type"), _ignore, to_session=False)

        def attached(answer: Frame) -> None:
            if answer.get("success") is True:
                self._attached(epoch)
            elif answer.get("code") == "not_open":
                self._open(epoch, 0)
            else:
                self._not_attached(answer)

        self._ask("attach_session", {**self._attach_params, "since": self.cursor}, attached)
        for command in cleared:
            self._ask(command["type"], _without(command, "type"), _ignore, to_session=False)

    def receive(self, frame: Frame) -> None:
        """A frame of the session, or an answer to a command of this link."""
        if frame["type"] == "response":
            self._answer(frame)
        elif self._is_new(frame):
            self._event(frame)

    def hold(self, reason: str) -> None:
        """Events wait; answers and questions do not."""
        self._order.hold(reason)

    def release(self, reason: str) -> None:
        self._order.release(reason)

    def ask_state(self) -> None:
        """Whether a prompt has ended unseen is only clear when all that was missed, and the answer to the prompt, have come."""
        self._awaits_state = True
        self._order.hold("state")
        if self._away is not None:
            return  # asked when there is a connection

        def answered(answer: Frame) -> None:
            def tell() -> None:
                self._awaits_state = False
                # Otherwise the process of the session is gone, and says so itself.
                if answer.get("success") is True and self._listener is not None:
                    self._listener.on_caught_up(answer["data"])

            self._order.run(tell)
            self._order.release("state")

        self._ask("get_state", {}, answered)

    def _open(self, epoch: str, attempt: int) -> None:
        """A process of a server that was killed may still hold the session for a moment."""

        def opened(answer: Frame) -> None:
            if answer.get("success") is True:
                self._attached(epoch)
            elif answer.get("code") != "busy" or not self._later(attempt, lambda: self._open(epoch, attempt + 1)):
                self._not_attached(answer)

        params = {**self._open_params, "session": self.session_id, "since": self.cursor}
        self._ask("open_session", params, opened, to_session=False)

    def _not_attached(self, answer: Frame) -> None:
        if answer.get("code") != "draining":  # else the next connection leads to another server
            self.close(RpcClosedError(f"The session cannot be had again: {answer.get('error')}"))

    def _answer(self, answer: Frame) -> None:
        key = str(answer["id"] if answer.get("id") is not None else answer.get("requestId"))
        own = self._own.pop(key, None)
        if own is not None:
            own(answer)
            return
        command = self._unanswered.pop(key, None)
        if command is not None and answer.get("success") is True:
            self._memory.accepted(command)
        self._on_frame({**answer, "id": self._core_id(key)})

    def _is_new(self, frame: Frame) -> bool:
        """What was replayed may overlap with what was seen."""
        # The server ends the connection behind a `lagged`; what was seen counts, not what would have been next.
        if frame["type"] in ("session_snapshot", "lagged"):
            return True
        seq = frame.get("seq")
        if isinstance(seq, int):
            if seq <= self.cursor["seq"]:
                return False
            self.cursor = {**self.cursor, "seq": seq}
        if frame.get("cursor"):
            self.cursor = frame["cursor"]
        return True

    def _event(self, frame: Frame) -> None:
        if frame["type"] == "session_snapshot":
            self._snapshot(frame)
        elif frame["type"] == "session_closed":
            self.close(RpcClosedError("The session was closed"))
        elif frame["type"] in _QUESTIONS:
            self._on_frame(frame)
        else:
            self._order.run(lambda: self._on_frame(self._with_own_ids(frame)))

    def _with_own_ids(self, frame: Frame) -> Frame:
        """Events name commands by the ids that they had on the way."""
        name = {"prompt_result": "id", "bash_execution_update": "commandId"}.get(frame["type"])
        return {**frame, name: self._core_id(str(frame[name]))} if name is not None and name in frame else frame

    def _core_id(self, key: str) -> str:
        return key[len(self._prefix) :] if key.startswith(self._prefix) else key

    def _attached(self, epoch: str) -> None:
        if epoch != self.cursor["epoch"]:
            self._interrupted()
        is_busy = (
            self._order.is_holding
            or (self._listener is not None and self._listener.is_busy())
            or any(command["type"] in _PROMPTS for command in self._unanswered.values())
        )
        for command in self._memory.commands():
            self._repeat(command, 0)
        for command in list(self._unanswered.values()):
            self._send_frame(command)  # full or not: it was sent before
        away, self._away = self._away, None
        if is_busy:
            self.ask_state()
        if away is not None and not away.done():
            away.set_result(None)

    def _end_away(self) -> None:
        if self._away is not None and not self._away.done():
            self._away.set_result(None)

    def _interrupted(self) -> None:
        """Keys are of an epoch: what has no answer may or may not have been done."""
        reason = "The server was started anew before the answer; what was done until then is unknown"
        for key, command in list(self._unanswered.items()):
            kind = command["type"]
            if _READING.match(kind) or kind in _REMEMBERED:
                continue
            del self._unanswered[key]
            failure = {"success": False, "code": "worker_exited", "error": reason}
            self._on_frame({"type": "response", "id": self._core_id(key), "command": kind, **failure})
        if self._listener is not None:
            self._listener.on_interrupted(reason)

    def _repeat(self, command: Frame, attempt: int) -> None:
        """A tool may still belong to a lost connection that the server has not noticed yet."""

        def answered(answer: Frame) -> None:
            if answer.get("success") is True:
                return
            is_busy = answer.get("code") == "busy"
            is_later = is_busy and self._later(attempt, lambda: self._repeat(command, attempt + 1))
            if not is_later and self._listener is not None:
                self._listener.on_link_fault(command["type"], PintleError(str(answer.get("error"))))

        self._ask(command["type"], _without(command, "type", "id", "sessionId"), answered)

    def _later(self, attempt: int, action: Callable[[], None]) -> bool:
        """On the same connection. False: often enough."""
        if attempt >= len(_RETRY_SECONDS):
            return False
        connection = self._connections

        def act() -> None:
            if connection == self._connections and not self._is_closed:
                action()

        asyncio.get_running_loop().call_later(_RETRY_SECONDS[attempt], act)
        return True

    def _snapshot(self, frame: Frame) -> None:
        has_more = frame.get("more")
        snapshot = _without(frame, "more")
        whole = [snapshot]
        before = (self.cursor, self._order.length)
        self.cursor = snapshot["cursor"]
        if has_more:
            self._order.hold("snapshot")

        def tell() -> None:
            self._on_frame(whole[0])
            if not self._awaits_state and self._listener is not None:
                self._listener.on_caught_up(whole[0]["state"])

        self._order.run(tell)
        if not has_more:
            return
        self._before_snapshot = before
        entries: List[Frame] = snapshot["entries"]

        def answered(answer: Frame) -> None:
            if answer.get("success") is not True:
                self.close(RpcClosedError(f"The rest of the session cannot be read: {answer.get('error')}"))
                return
            whole[0] = {**snapshot, "entries": [*entries, *answer["data"]["entries"]]}
            self._before_snapshot = None
            self._order.release("snapshot")

        self._ask("get_entries", {"since": entries[-1]["id"]} if entries else {}, answered)

    def _forget_snapshot(self, cursor: Mapping[str, Any], waiting: int) -> None:
        self.cursor = cursor
        self._before_snapshot = None
        self._order.cut(waiting)
        self._order.release("snapshot")

    def _ask(
        self, kind: str, params: Mapping[str, Any], on_answer: Callable[[Frame], None], *, to_session: bool = True
    ) -> None:
        """A command of the link; the answer is handled in its place among the frames."""
        self._own_commands += 1
        key = f"{self._prefix}link_{self._own_commands}"
        self._own[key] = on_answer
        # A connection that is full takes it nevertheless: it is short, and what follows depends on it.
        route = {"sessionId": self.session_id} if to_session else {}
        self._send_frame({**params, "id": key, "type": kind, **route})


def _ignore(_answer: Frame) -> None:
    pass
