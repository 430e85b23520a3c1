"""What the server is doing, as far as its frames tell."""

from __future__ import annotations

import asyncio
from typing import Any, Dict, List, Optional, Protocol, Set

from ._frames import Frame
from .errors import PintleError, again


class PromptWatcher(Protocol):
    """Follows one prompt from its acknowledgement on."""

    def on_event(self, event: Frame) -> None: ...

    def on_end(self, event: Optional[Frame]) -> None:
        """The run is over; without an event the prompt was handled without the model."""
        ...

    def on_failure(self, error: PintleError) -> None:
        """It was acknowledged, and there will be no run after all."""
        ...


class _Prompt:
    def __init__(self, watcher: Optional[PromptWatcher]) -> None:
        self.is_acknowledged = False
        self.watcher = watcher


class RunTracker:
    """A prompt counts from being sent until it is refused, fails late, is handled without the model, or the first
    `agent_end` behind its acknowledgement."""

    def __init__(self) -> None:
        self._prompts: Dict[str, _Prompt] = {}
        # Futures that wait for the end of all work, and for a failure of it.
        self._idle_waiters: Set["asyncio.Future[Any]"] = set()
        self._failure_waiters: Set["asyncio.Future[Any]"] = set()
        self._is_running = False
        self._is_settling = False
        self._messages: List[Frame] = []
        # A late failure that had no waiter.
        self._missed_failure: Optional[PintleError] = None

    @property
    def is_idle(self) -> bool:
        return not self._prompts and not self._is_running and not self._is_settling

    @property
    def messages(self) -> List[Frame]:
        """The finished messages of the active run."""
        return self._messages

    def sent(self, prompt_id: str, watcher: Optional[PromptWatcher]) -> None:
        self._missed_failure = None
        self._prompts[prompt_id] = _Prompt(watcher)

    def acknowledged(self, prompt_id: str) -> None:
        prompt = self._prompts.get(prompt_id)
        if prompt:
            prompt.is_acknowledged = True

    def refused(self, prompt_id: str) -> None:
        """Its sender knows why."""
        if self._prompts.pop(prompt_id, None):
            self._check_idle()

    def failed_late(self, prompt_id: str, error: PintleError) -> None:
        """A second answer to an acknowledged prompt."""
        prompt = self._prompts.pop(prompt_id, None)
        if prompt is None:
            return
        if prompt.watcher:
            prompt.watcher.on_failure(error)
        if not self._tell_failure(error) and not prompt.watcher:
            self._missed_failure = error
        self._check_idle()

    def handle(self, event: Frame) -> None:
        kind = event["type"]
        if kind == "agent_start":
            self._is_running = True
            self._messages = []
        elif kind == "message_end":
            self._messages.append(event["message"])
        if kind == "agent_settled":
            self._is_settling = False
        elif kind == "prompt_result":
            self._end_prompt(event)
        else:
            for prompt in list(self._prompts.values()):
                if prompt.is_acknowledged and prompt.watcher:
                    prompt.watcher.on_event(event)
        if kind == "agent_end":
            self._is_running = False
            self._is_settling = True
            self._messages = []
            self._end_prompts(event)
        self._check_idle()

    def when_idle(self, future: "asyncio.Future[Any]") -> None:
        """Done when the server is idle, or a prompt fails late."""
        self.when_failed(future)
        if self.is_idle and not future.done():
            future.set_result(None)
        self._idle_waiters.add(future)

    def when_failed(self, future: "asyncio.Future[Any]") -> None:
        """Also of a failure that came without a waiter, and no prompt since."""
        missed, self._missed_failure = self._missed_failure, None
        if missed:
            future.set_exception(missed)
        self._failure_waiters.add(future)

    def forget(self, future: "asyncio.Future[Any]") -> None:
        self._idle_waiters.discard(future)
        self._failure_waiters.discard(future)

    def resume(self, is_streaming: bool, is_settled: bool) -> None:
        """How the session is, told by itself instead of by events."""
        self._is_running = is_streaming
        self._is_settling = not is_streaming and not is_settled
        self._check_idle()

    def ended_unseen(self, event: Optional[Frame]) -> None:
        """Nothing is left to do for any acknowledged prompt, although its end was not told."""
        self._end_prompts(event)
        self.resume(False, True)

    def interrupted(self, error: PintleError) -> None:
        """The server has lost its run: there will be no end of acknowledged prompts."""
        for prompt in self._take_acknowledged():
            if prompt.watcher:
                prompt.watcher.on_failure(error)
        self._tell_failure(error)
        self.resume(False, True)

    def reset(self) -> None:
        self._prompts = {}
        self._is_running = False
        self._is_settling = False
        self._messages = []
        self._missed_failure = None

    def _tell_failure(self, error: PintleError) -> bool:
        waiters = [future for future in self._failure_waiters if not future.done()]
        for future in waiters:
            future.set_exception(again(error))
        return bool(waiters)

    def _take_acknowledged(self) -> List[_Prompt]:
        taken = {key: prompt for key, prompt in self._prompts.items() if prompt.is_acknowledged}
        for key in taken:
            del self._prompts[key]
        return list(taken.values())

    def _end_prompts(self, event: Optional[Frame]) -> None:
        for prompt in self._take_acknowledged():
            if prompt.watcher:
                prompt.watcher.on_end(event)

    def _end_prompt(self, event: Frame) -> None:
        """Those that had a run have ended with its agent_end."""
        key = str(event.get("id"))
        prompt = self._prompts.get(key)
        if prompt is None or event.get("agentInvoked"):
            return
        del self._prompts[key]
        if prompt.watcher:
            prompt.watcher.on_event(event)
            prompt.watcher.on_end(None)

    def _check_idle(self) -> None:
        if self.is_idle:
            for future in self._idle_waiters:
                if not future.done():
                    future.set_result(None)
