"""A session's link over a connection that may be lost and restored."""

from __future__ import annotations

import asyncio
import re
from typing import Any, Awaitable, Callable, Dict, List, Mapping, Optional, Protocol, Set, Tuple

from ._frames import Frame
from ._question_frames import ANSWER_TYPES, QUESTION_TYPES, expects_answer, handled_kind
from .errors import PintleError, RpcClosedError

_PROMPTS = frozenset(["prompt", "abort_and_prompt", "continue_run"])
# The reason for holding events until the caller has its session.
BEGIN = "begin"
_READING = re.compile(r"(?:get|list)_")
# Keeps trying for more than five seconds, the time that an ending process may take.
_RETRY_SECONDS = [0.1, 0.2, 0.4, 0.8, *[1.0] * 20]
# Commands whose effect a server keeps per connection.
_REMEMBERED = frozenset(
    ["set_host_tools", "set_host_capabilities", "set_update_mode", "set_event_filter", "set_output_schema"]
)
# Scoped to a session, so never sent as a default for sessions attached later.
_OF_SESSION = frozenset(["set_host_tools", "set_output_schema"])


class LinkListener(Protocol):
    """What the session object receives in addition to frames."""

    def is_busy(self) -> bool:
        """True if a call is waiting for the end of a run."""
        ...

    def on_away(self) -> None: ...

    def on_interrupted(self, reason: str) -> None:
        """The server stopped, and what was running ended with it."""
        ...

    def on_caught_up(self, state: Mapping[str, Any]) -> None: ...

    def on_link_fault(self, what: str, error: PintleError) -> None: ...


class _ConnectionState:
    """Remembers per-connection commands so that they can be replayed on the next connection."""

    def __init__(self) -> None:
        self._commands: Dict[str, Frame] = {}

    def accepted(self, command: Frame) -> None:
        """Records a command that the server has accepted."""
        kind = command["type"]
        if kind in _REMEMBERED:
            older = self._commands.get(kind, {}) if kind == "set_host_capabilities" else {}
            self._commands[kind] = {**older, **command}

    def commands(self) -> List[Frame]:
        return list(self._commands.values())

    def defaults(self) -> Tuple[List[Frame], List[Frame]]:
        """Sent without a session id, these commands become defaults for sessions attached afterwards. Returns the commands to
        send before attaching, and those that reset the defaults afterwards."""
        said = [_without(command, "id", "sessionId") for command in self.commands() if command["type"] not in _OF_SESSION]
        return said, [_cleared(command) for command in said]


def _without(frame: Frame, *keys: str) -> Frame:
    return {key: value for key, value in frame.items() if key not in keys}


def _cleared(command: Frame) -> Frame:
    kind = command["type"]
    if kind == "set_host_capabilities":
        return {"type": kind, **{name: False for name in command if name != "type"}}
    return {"type": kind, "mode": "full"} if kind == "set_update_mode" else {"type": kind}


class _HoldableOrder:
    """Runs actions in order: immediately, or, while held, once the last hold is released."""

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
        """Drops all queued actions after the first `length`."""
        del self._waiting[length:]


class _NewerQuestions:
    """Collects the questions that arrive or end while a snapshot waits to be delivered, because its `pending` is older."""

    def __init__(self) -> None:
        # By id; None if the question has ended.
        self._changes: Dict[str, Optional[Frame]] = {}

    def received(self, frame: Frame) -> None:
        target = frame.get("targetId")
        kind = handled_kind(frame)
        if target is not None:
            self.ended(target)
        elif kind is not None and expects_answer(kind, frame):
            self._changes[frame["id"]] = _without(frame, "sessionId", "seq")

    def ended(self, question_id: Any) -> None:
        self._changes[question_id] = None

    def add_to(self, pending: List[Frame]) -> List[Frame]:
        """Returns what is pending now, given what was pending in the snapshot."""
        unchanged = [frame for frame in pending if frame.get("id") not in self._changes]
        return [*unchanged, *[frame for frame in self._changes.values() if frame is not None]]


class SessionLink:
    """Resends commands without a response with the same key, fetches missed frames with the cursor,
    and delivers duplicates once."""

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
        """`prefix` starts the ids of commands; no other host of the session uses the same one. `open_params` reopen the session
        after a server restart."""
        self.session_id = session_id
        self.cursor: Mapping[str, Any] = cursor
        self._prefix = prefix
        self._open_params = open_params
        self._attach_params = attach_params
        self._send_frame = send
        self._room = room
        self._memory = _ConnectionState()
        # Orders events, but not responses and questions.
        self._order = _HoldableOrder()
        # Commands of the session object that have no response yet, in the order they were sent.
        self._unanswered: Dict[str, Frame] = {}
        # Commands of the link itself that have no response yet.
        self._own: Dict[str, Callable[[Frame], None]] = {}
        self._own_commands = 0
        # The number of connections lost so far.
        self._connections = 0
        self._is_closed = False
        self._listener: Optional[LinkListener] = None
        # Set while a snapshot is incomplete: the state to restore if the rest never arrives.
        self._before_snapshot: Optional[Tuple[Mapping[str, Any], int, _NewerQuestions]] = None
        # One for each snapshot that waits in the event queue.
        self._newer_questions: List[_NewerQuestions] = []
        # True while the response to `get_state` is awaited.
        self._awaits_state = False
        self._away: Optional["asyncio.Future[None]"] = None
        self._on_frame: Callable[[Frame], None] = lambda _frame: None
        self._on_close: Callable[[Optional[BaseException]], None] = lambda _reason: None

    @property
    def is_away(self) -> bool:
        return self._away is not None

    def listen(self, listener: LinkListener) -> None:
        self._listener = listener

    # Transport of the session object.

    def start_frames(self, on_frame: Callable[[Frame], None], on_close: Callable[[Optional[BaseException]], None]) -> None:
        self._on_frame, self._on_close = on_frame, on_close

    def room(self) -> Optional[Awaitable[object]]:
        return asyncio.shield(self._away) if self._away is not None else self._room()

    def send(self, frame: Frame) -> None:
        if frame["type"] in ANSWER_TYPES:
            for newer in self._newer_questions:
                newer.ended(frame["id"])
            self._send_frame({**frame, "sessionId": self.session_id})
            return
        if frame["type"] in _PROMPTS:
            # The caller has its session now. Deliver missed frames before the response; otherwise the end of an earlier run would
            # be taken for the end of this one.
            self._order.release(BEGIN)
        key = f"{self._prefix}{frame['id']}"
        command = {**frame, "id": key, "sessionId": self.session_id}
        # State that applies to one connection must be sent again on the next one.
        if frame["type"] not in _REMEMBERED:
            command["commandKey"] = key
        self._send_frame(command)  # raises if the frame is not JSON
        self._unanswered[key] = command

    # Callbacks of the gateway.

    def close(self, reason: PintleError) -> None:
        self._is_closed = True
        self._on_close(reason)
        self._end_away()

    def lost(self) -> None:
        """Called when the connection is lost."""
        if self._away is None:
            self._away = asyncio.get_running_loop().create_future()
            if self._listener is not None:
                self._listener.on_away()
        self._connections += 1
        self._own.clear()
        if self._before_snapshot is not None:
            self._forget_snapshot(*self._before_snapshot)

    def attach(self, epoch: str) -> None:
        """Attaches after a reconnect; `epoch` is that of the server."""
        # Replayed frames pass the filter and capabilities in effect at that moment, so set those first.
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
        """Handles a frame of the session or a response to a command of this link."""
        if frame["type"] == "response":
            self._answer(frame)
        elif self._is_new(frame):
            self._event(frame)

    def hold(self, reason: str) -> None:
        """Holds events back, but not responses and questions."""
        self._order.hold(reason)

    def release(self, reason: str) -> None:
        self._order.release(reason)

    def ask_state(self) -> None:
        """Requests the session state, which decides whether a prompt ended unseen. That is certain only after all missed events
        and the response to the prompt have arrived."""
        self._awaits_state = True
        self._order.hold("state")
        if self._away is not None:
            return  # asked again after the reconnect

        def answered(answer: Frame) -> None:
            def tell() -> None:
                self._awaits_state = False
                # On failure the session's process is gone, which a frame of its own reports.
                if answer.get("success") is True and self._listener is not None:
                    self._listener.on_caught_up(answer["data"])

            self._order.run(tell)
            self._order.release("state")

        self._ask("get_state", {"brief": True}, answered)

    def _open(self, epoch: str, attempt: int) -> None:
        """Reopens the session. Retries, because a killed server's process may hold the session for a moment."""

        def opened(answer: Frame) -> None:
            if answer.get("success") is True:
                self._attached(epoch)
            elif answer.get("code") != "busy" or not self._later(attempt, lambda: self._open(epoch, attempt + 1)):
                self._not_attached(answer)

        params = {**self._open_params, "session": self.session_id, "since": self.cursor}
        self._ask("open_session", params, opened, to_session=False)

    def _not_attached(self, answer: Frame) -> None:
        if answer.get("code") != "draining":  # otherwise the next connection leads to another server
            self.close(RpcClosedError(f"The session could not be reattached: {answer.get('error')}"))

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
        """Filters duplicates, because replayed frames may overlap those already received."""
        # The server closes the connection after `lagged`, so resume from the last frame received, not from the cursor it names.
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
        elif frame["type"] in QUESTION_TYPES:
            for newer in self._newer_questions:
                newer.received(frame)
            self._on_frame(frame)
        else:
            self._order.run(lambda: self._on_frame(self._with_own_ids(frame)))

    def _with_own_ids(self, frame: Frame) -> Frame:
        """Maps the ids in events, which are those sent on the wire, back to the caller's ids."""
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
            self._send_frame(command)  # sent before, so ignore back-pressure
        away, self._away = self._away, None
        if is_busy:
            self.ask_state()
        if away is not None and not away.done():
            away.set_result(None)

    def _end_away(self) -> None:
        if self._away is not None and not self._away.done():
            self._away.set_result(None)

    def _interrupted(self) -> None:
        """Rejects commands without a response. Command keys are valid for one epoch only, so those commands may or may not have
        run."""
        reason = "The server restarted before it responded; the command may or may not have run"
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
        """Replays a per-connection command. Retries, because a tool may still belong to a lost connection that the server has not
        noticed yet."""

        def answered(answer: Frame) -> None:
            if answer.get("success") is True:
                return
            is_busy = answer.get("code") == "busy"
            is_later = is_busy and self._later(attempt, lambda: self._repeat(command, attempt + 1))
            if not is_later and self._listener is not None:
                self._listener.on_link_fault(command["type"], PintleError(str(answer.get("error"))))

        self._ask(command["type"], _without(command, "type", "id", "sessionId"), answered)

    def _later(self, attempt: int, action: Callable[[], None]) -> bool:
        """Schedules a retry on the same connection. Returns False if there are no attempts left."""
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
        newer = _NewerQuestions()
        self._newer_questions.append(newer)
        before = (self.cursor, self._order.length, newer)
        self.cursor = snapshot["cursor"]
        if has_more:
            self._order.hold("snapshot")

        def tell() -> None:
            self._newer_questions.remove(newer)
            self._on_frame({**whole[0], "pending": newer.add_to(whole[0].get("pending") or [])})
            if not self._awaits_state and self._listener is not None:
                self._listener.on_caught_up(whole[0]["state"])

        self._order.run(tell)
        if not has_more:
            return
        self._before_snapshot = before
        entries: List[Frame] = snapshot["entries"]

        def answered(answer: Frame) -> None:
            if answer.get("success") is not True:
                self.close(RpcClosedError(f"The rest of the session could not be read: {answer.get('error')}"))
                return
            whole[0] = {**snapshot, "entries": [*entries, *answer["data"]["entries"]]}
            self._before_snapshot = None
            self._order.release("snapshot")

        self._ask("get_entries", {"since": entries[-1]["id"]} if entries else {}, answered)

    def _forget_snapshot(self, cursor: Mapping[str, Any], waiting: int, newer: _NewerQuestions) -> None:
        self.cursor = cursor
        self._newer_questions.remove(newer)
        self._before_snapshot = None
        self._order.cut(waiting)
        self._order.release("snapshot")

    def _ask(
        self, kind: str, params: Mapping[str, Any], on_answer: Callable[[Frame], None], *, to_session: bool = True
    ) -> None:
        """Sends a command of the link itself; its response is handled in order with the other frames."""
        self._own_commands += 1
        key = f"{self._prefix}link_{self._own_commands}"
        self._own[key] = on_answer
        # The command is short and later frames depend on it, so send it even if the connection is full.
        route = {"sessionId": self.session_id} if to_session else {}
        self._send_frame({**params, "id": key, "type": kind, **route})


def _ignore(_answer: Frame) -> None:
    pass
