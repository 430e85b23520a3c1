"""Handles many sessions over one connection to `pintle serve`, and reconnects when it is lost."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any, Callable, Dict, List, Literal, Mapping, Optional, Sequence, Union, cast

from . import protocol as p
from . import results
from ._exchange import PendingRequests, Transport
from ._faults import FaultListener, FaultReport, Tasks, add_listener
from ._frames import Frame
from ._kept_connection import Connect, KeptConnection, Reconnect
from ._link import BEGIN, SessionLink
from ._sockets import gateway_url, open_unix_socket
from ._waits import Waits
from ._websockets import open_web_socket
from .errors import PintleError, RpcClosedError, RpcCommandError, RpcProtocolError
from .handlers import Remove
from .session import Session, UpdateMode
from .tools import HostTool

# "away": disconnected, and the client will try to reconnect.
GatewayState = Literal["connected", "away", "ended"]
StateListener = Callable[[GatewayState, Optional[BaseException]], object]
# A stored cursor delivers the frames missed since then; "start" delivers everything as one `session_snapshot`.
Since = Union[p.SessionCursor, Literal["start"], None]

# Events are held until the caller has its session and has added its listeners. This many turns of the loop are enough, even for a
# caller that waits for several sessions at once.
_TURNS = 8
# A cursor that no server issued, so the server answers with a snapshot of everything.
_START: p.SessionCursor = {"epoch": "", "seq": 0}


class GatewaySession(Session):
    """A session of a gateway, with everything a single-session client offers. Survives a lost connection."""

    def __init__(
        self,
        gateway: "GatewayClient",
        link: SessionLink,
        opened: Optional[results.GatewayOpenSessionResult],
        *,
        tools: Sequence[HostTool],
        update_mode: Optional[UpdateMode],
        request_timeout: float,
    ) -> None:
        super().__init__(tools=tools, update_mode=update_mode, request_timeout=request_timeout)
        self._gateway = gateway
        self._link = link
        self._opened = opened

    @property
    def _capabilities(self) -> Sequence[str]:
        server = self._gateway.server
        return () if server is None else server.get("capabilities", ())

    def _place(self) -> Dict[str, Any]:
        return {"session_id": self.session_id, "session_file": self.session_file}

    @property
    def session_id(self) -> str:
        return self._link.session_id

    @property
    def session_file(self) -> Optional[str]:
        """The session's file on the server, if it was opened here and is stored."""
        return None if self._opened is None else self._opened.session_file

    @property
    def cursor(self) -> p.SessionCursor:
        """How much of the session has been received. Pass it to `attach` to resume there, also from another program."""
        return cast(p.SessionCursor, self._link.cursor)

    @property
    def is_away(self) -> bool:
        """True while there is no connection. Commands wait for the next one."""
        return self._link.is_away

    async def detach(self) -> None:
        """Stops receiving frames of the session, which keeps running."""
        await self._gateway.request("detach_session", {"sessionId": self.session_id})
        self.disconnect(RpcClosedError("The session was detached"))

    async def close(self, *, abort: Optional[bool] = None) -> None:
        """Ends the session's process. Rejected while a run is active, unless `abort` is true."""
        await self._gateway.request("close_session", {"sessionId": self.session_id, "abort": abort})
        self.disconnect(RpcClosedError("The session was closed"))

    def disconnect(self, reason: Optional[BaseException] = None) -> None:
        self._gateway.forget(self)
        super().disconnect(reason)

    async def __aenter__(self) -> "GatewaySession":
        return self

    async def __aexit__(self, *_exception: object) -> None:
        if self._exchange.is_open:
            await self.detach()

    # Called by the gateway.

    def begin(self) -> None:
        self._link.hold(BEGIN)
        self._link.listen(self)
        if self._opened is None:
            self._link.ask_state()
        else:
            self._caught_up(self._opened.state)
        self._exchange.join(self._link, self)

    async def introduce(self) -> None:
        await self._introduce()
        self._release_after(_TURNS)

    def _release_after(self, turns: int) -> None:
        if turns == 0:
            self._link.release(BEGIN)
        else:
            asyncio.get_running_loop().call_soon(self._release_after, turns - 1)

    # Callbacks of the link.

    def is_busy(self) -> bool:
        return not self.is_idle

    def on_away(self) -> None:
        self._connection_lost()

    def on_interrupted(self, reason: str) -> None:
        self._interrupted(RpcCommandError("prompt", reason, "worker_exited"))

    def on_caught_up(self, state: Mapping[str, Any]) -> None:
        self._caught_up(state)

    def on_link_fault(self, what: str, error: PintleError) -> None:
        self._faults.raised(what, error)


class _Unanswered:
    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        # True if it was already sent on an earlier connection.
        self.is_repeat = False


class _Joined:
    """A session named by a response, created while the response is read, because frames may follow immediately."""

    def __init__(self) -> None:
        self.session: Optional[GatewaySession] = None
        self.is_new = False


class GatewayClient:
    """Connects to `pintle serve`: `async with GatewayClient(url=…) as gateway`, then `await gateway.open(cwd=…)`."""

    def __init__(
        self,
        *,
        url: Optional[str] = None,
        token: Optional[str] = None,
        socket: Optional[str] = None,
        connect: Optional[Connect] = None,
        reconnect: Optional[Reconnect] = Reconnect(),
        ready_timeout: float = 30.0,
        request_timeout: float = 30.0,
    ) -> None:
        """Set one of `url` (`ws://…/ws`, or the address that `pintle serve` prints), `socket` (the path passed to `pintle serve
        --socket`) and `connect`. With `reconnect=None`, losing the connection ends the client. Timeouts include time spent
        disconnected."""
        self._request_timeout = request_timeout
        self._keeper = KeptConnection(_way_to(url, token, socket, connect), reconnect, ready_timeout, self)
        self._faults = FaultReport()
        self._tasks = Tasks(lambda error: self._faults.raised("A task of the client", error))
        self._waits = Waits()
        self._pending = PendingRequests(self._waits, request_timeout)
        self._unanswered: Dict[str, _Unanswered] = {}
        self._sessions: Dict[str, GatewaySession] = {}
        # Keyed by the link number in command ids.
        self._links: Dict[str, SessionLink] = {}
        self._links_by_session: Dict[str, SessionLink] = {}
        # Prefix of command ids that no other host uses; the number of the session's link follows it.
        self._name = secrets.token_hex(12)
        self._link_count = 0
        self._requests = 0
        self._listeners: List[StateListener] = []
        self._server: Optional[p.ServerReady] = None
        self._end: Optional[BaseException] = None

    @property
    def server(self) -> Optional[p.ServerReady]:
        """What the server reported about itself on the latest connection."""
        return self._server

    @property
    def is_connected(self) -> bool:
        return self._keeper.is_connected

    @property
    def sessions(self) -> Mapping[str, GatewaySession]:
        """The sessions opened or attached here, by id."""
        return dict(self._sessions)

    async def connect(self) -> p.ServerReady:
        """Opens the first connection; reconnecting is automatic."""
        await self._keeper.start()
        return cast(p.ServerReady, self._server)

    def end(self) -> None:
        """Closes the connection; the sessions keep running on the server."""
        self._keeper.end(RpcClosedError("The client was stopped"))

    async def __aenter__(self) -> "GatewayClient":
        await self.connect()
        return self

    async def __aexit__(self, *_exception: object) -> None:
        self.end()
        await self._keeper.ended()

    async def open(
        self,
        *,
        cwd: Optional[str] = None,
        session: Optional[str] = None,
        fork: Optional[bool] = None,
        name: Optional[str] = None,
        model: Optional[str] = None,
        thinking: Optional[p.ThinkingLevel] = None,
        builtin_tools: Optional[List[str]] = None,
        env: Optional[Dict[str, str]] = None,
        settings: Optional[Dict[str, Any]] = None,
        trust: Optional[bool] = None,
        budget: Optional[p.GatewayOpenSessionBudget] = None,
        ephemeral: Optional[bool] = None,
        since: Since = None,
        tools: Sequence[HostTool] = (),
        update_mode: Optional[UpdateMode] = None,
        request_timeout: Optional[float] = None,
        timeout: Optional[float] = None,
    ) -> GatewaySession:
        """Opens a new or stored session, or attaches to it if it is already open. `tools` run in this program; `builtin_tools`
        names server tools."""
        given = {
            "cwd": cwd,
            "session": session,
            "fork": fork,
            "name": name,
            "model": model,
            "thinking": thinking,
            "tools": builtin_tools,
            "env": env,
            "settings": settings,
            "trust": trust,
            "budget": budget,
            "ephemeral": ephemeral,
        }
        params = {key: value for key, value in given.items() if value is not None}
        start = _START if since == "start" else since
        joined = _Joined()

        def adopt(data: Any, is_repeat: bool) -> None:
            opened = results.GatewayOpenSessionResult.from_json(data)
            self._adopt(
                joined,
                opened.session_id,
                start or opened.cursor,
                opened,
                is_repeat,
                open_params=params,
                attach_params={},
                tools=tools,
                update_mode=update_mode,
                request_timeout=request_timeout,
            )

        await self.request("open_session", {**params, "since": start}, timeout=timeout, on_success=adopt)
        return await self._begun(joined)

    async def attach(
        self,
        session_id: str,
        *,
        events: Optional[Literal["all", "settled", "none"]] = None,
        since: Since = None,
        tools: Sequence[HostTool] = (),
        update_mode: Optional[UpdateMode] = None,
        request_timeout: Optional[float] = None,
        timeout: Optional[float] = None,
    ) -> GatewaySession:
        """Attaches to an open session. Attaching again returns the same object."""
        start = _START if since == "start" else since
        attach_params = {} if events is None else {"events": events}
        joined = _Joined()

        def adopt(data: Any, is_repeat: bool) -> None:
            self._adopt(
                joined,
                session_id,
                start or data["cursor"],
                None,
                is_repeat,
                open_params={},
                attach_params=attach_params,
                tools=tools,
                update_mode=update_mode,
                request_timeout=request_timeout,
            )

        params = {**attach_params, "sessionId": session_id, "since": start}
        await self.request("attach_session", params, timeout=timeout, on_success=adopt)
        return await self._begun(joined)

    async def list(
        self,
        *,
        cwd: Optional[str] = None,
        query: Optional[str] = None,
        status: Optional[Literal["idle", "running", "waiting", "stored"]] = None,
        deleted: Optional[bool] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> results.GatewayListSessionsResult:
        """Lists one page of the server's sessions, stored and open."""
        params = {
            "cwd": cwd,
            "query": query,
            "status": status,
            "deleted": deleted,
            "limit": limit,
            "cursor": cursor,
        }
        return results.GatewayListSessionsResult.from_json(await self.request("list_sessions", params, timeout=timeout))

    async def delete(self, session_id: str, *, timeout: Optional[float] = None) -> None:
        """Closes a session and moves it to the trash."""
        await self.request("delete_session", {"sessionId": session_id}, timeout=timeout)
        session = self._sessions.get(session_id)
        if session is not None:
            session.disconnect(RpcClosedError("The session was deleted"))

    async def restore(self, session_id: str, *, timeout: Optional[float] = None) -> None:
        """Restores a session from the trash."""
        await self.request("restore_session", {"sessionId": session_id}, timeout=timeout)

    async def server_state(self, *, timeout: Optional[float] = None) -> results.ServerState:
        """Returns the server's current load and its limits."""
        return results.ServerState.from_json(await self.request("get_server_state", {}, timeout=timeout))

    def on_state(self, listener: StateListener) -> Remove:
        """Calls the listener when the connection is lost, restored or closed for good. Returns a function that unsubscribes it."""
        return add_listener(self._listeners, listener)

    def on_protocol_error(self, listener: FaultListener) -> Remove:
        """Reports lines that are not frames, failures that match no request, and listeners that raised."""
        return self._faults.on_fault(listener)

    async def request(
        self,
        command: str,
        params: Mapping[str, Any],
        *,
        timeout: Optional[float] = None,
        on_success: Optional[Callable[[Any, bool], None]] = None,
    ) -> Any:
        """Sends a command to the gateway itself. If the connection is lost before the response, it is sent again on the next one."""
        if self._end is not None:
            raise self._end
        if self._server is None:
            raise RpcClosedError("The client is not started")
        self._requests += 1
        key = f"{self._name}.0.{self._requests}"
        given = {name: value for name, value in params.items() if value is not None}
        entry = _Unanswered({**given, "id": key, "type": command, "commandKey": key})

        def send() -> Callable[[], None]:
            self._unanswered[key] = entry
            # Commands to the gateway are short, so send them even if the connection is full.
            self._keeper.send(entry.frame)

            def forget() -> None:
                self._unanswered.pop(key, None)

            return forget

        def succeeded(data: Any) -> None:
            if on_success is not None:
                on_success(data, entry.is_repeat)

        return await self._pending.open(key, command, send, timeout, on_success=succeeded)

    def forget(self, session: GatewaySession) -> None:
        """Removes a session that is closed or detached."""
        session_id = session.session_id
        if self._sessions.get(session_id) is not session:
            return
        del self._sessions[session_id]
        link = self._links_by_session.pop(session_id)
        for number in [number for number, other in self._links.items() if other is link]:
            del self._links[number]

    # Callbacks of the connection.

    def on_connected(self, ready: Frame) -> None:
        self._server = cast(p.ServerReady, ready)
        for link in list(self._links.values()):
            link.attach(ready["epoch"])
        for entry in list(self._unanswered.values()):
            entry.is_repeat = True
            self._keeper.send(entry.frame)
        self._tell("connected", None)

    def on_frame(self, frame: Frame) -> None:
        if frame["type"] == "response":
            self._answer(frame)
            return
        link = self._links_by_session.get(str(frame.get("sessionId")))
        if link is not None:  # ignore frames of newer servers that this version does not know
            link.receive(frame)

    def on_away(self, reason: BaseException) -> None:
        for link in list(self._links.values()):
            link.lost()
        self._tell("away", reason)

    def on_end(self, reason: BaseException) -> None:
        self._end = reason
        self._waits.reject_all(reason)
        for session in list(self._sessions.values()):
            session.disconnect(reason)
        self._tell("ended", reason)

    def on_fault(self, fault: RpcProtocolError) -> None:
        self._faults.report(fault)

    def _answer(self, frame: Frame) -> None:
        """Routes a response by the link number in its id; the gateway's own commands use 0."""
        key = str(frame["id"] if frame.get("id") is not None else frame.get("requestId"))
        name, number, *_rest = [*key.split(".", 2), ""]
        if name != self._name:
            self.on_fault(RpcProtocolError(f"A response matches no request: {frame.get('error')}", str(frame)))
        elif number == "0":
            self._pending.answer(key, frame)
        elif number in self._links:
            self._links[number].receive(frame)

    def _adopt(
        self,
        joined: _Joined,
        session_id: str,
        cursor: Mapping[str, Any],
        opened: Optional[results.GatewayOpenSessionResult],
        is_repeat: bool,
        *,
        open_params: Mapping[str, Any],
        attach_params: Mapping[str, Any],
        tools: Sequence[HostTool],
        update_mode: Optional[UpdateMode],
        request_timeout: Optional[float],
    ) -> None:
        """Creates the session object while the response is read, because frames may follow immediately."""
        joined.session = self._sessions.get(session_id)
        if joined.session is not None:
            return
        self._link_count += 1
        number = str(self._link_count)
        link = SessionLink(
            session_id,
            f"{self._name}.{number}.",
            open_params,
            attach_params,
            self._keeper.send,
            self._keeper.room,
            cursor,
        )
        if is_repeat:
            # The server attached the earlier connection.
            link.lost()
        session = GatewaySession(
            self,
            link,
            opened,
            tools=tools,
            update_mode=update_mode,
            request_timeout=self._request_timeout if request_timeout is None else request_timeout,
        )
        self._sessions[session_id] = session
        self._links[number] = link
        self._links_by_session[session_id] = link
        joined.session, joined.is_new = session, True
        session.begin()
        if is_repeat and self._server is not None:
            link.attach(self._server["epoch"])

    async def _begun(self, joined: _Joined) -> GatewaySession:
        session = joined.session
        if session is None:
            raise RpcClosedError("The client was stopped")
        if not joined.is_new:
            return session
        try:
            await session.introduce()
            return session
        except BaseException:
            self._tasks.start(_detach_quietly(session))
            raise

    def _tell(self, state: GatewayState, reason: Optional[BaseException]) -> None:
        for listener in list(self._listeners):
            try:
                listener(state, reason)
            except Exception as error:
                self._faults.raised("A listener for the state", error)


async def _detach_quietly(session: GatewaySession) -> None:
    try:
        await session.detach()
    except PintleError:
        session.disconnect()  # raise the original failure


def _way_to(
    url: Optional[str], token: Optional[str], socket: Optional[str], connect: Optional[Connect]
) -> Connect:
    if connect is not None:
        return connect
    if socket is not None:
        path = socket

        async def to_socket() -> Transport:
            return await open_unix_socket(path)

        return to_socket
    if url is None:
        raise TypeError("GatewayClient needs one of the options url, socket and connect")
    address, own_token = gateway_url(url, token)

    async def to_url() -> Transport:
        return await open_web_socket(address, own_token)

    return to_url
