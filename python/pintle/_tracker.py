"""Tracks what the server is doing, as far as its frames show it."""

from __future__ import annotations

import asyncio
from typing import Any, Dict, List, Optional, Protocol, Set

from ._frames import Frame
from .errors import PintleError, again


class PromptWatcher(Protocol):
    """Follows one prompt from its acknowledgement."""

    def on_event(self, event: Frame) -> None: ...

    def on_end(self, event: Optional[Frame], told: Optional[Frame] = None) -> None:
        """The run is over; `told` is its `prompt_result`. Without an `agent_end` the prompt was handled without the model."""
        ...

    def on_failure(self, error: PintleError) -> None:
        """The prompt was acknowledged, but no run will follow."""
        ...


class _Prompt:
    def __init__(self, watcher: Optional[PromptWatcher]) -> None:
        self.is_acknowledged = False
        self.watcher = watcher
        # The latest `agent_end`, kept until the result arrives.
        self.end: Optional[Frame] = None


class RunTracker:
    """A prompt is open until it is rejected, fails late or its `prompt_result` arrives. Older servers send no result; there, the
    first `agent_end` after the acknowledgement ends it."""

    def __init__(self) -> None:
        self._prompts: Dict[str, _Prompt] = {}
        # Futures that wait until the server is idle, or for a failure.
        self._idle_waiters: Set["asyncio.Future[Any]"] = set()
        self._failure_waiters: Set["asyncio.Future[Any]"] = set()
        self._is_running = False
        self._is_settling = False
        self._messages: List[Frame] = []
        # A late failure that nothing was waiting for.
        self._missed_failure: Optional[PintleError] = None
        # The server reports each result with `prompt_result`.
        self.has_results = False

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
        """Forgets a rejected prompt; its sender receives the reason."""
        if self._prompts.pop(prompt_id, None):
            self._check_idle()

    def failed_late(self, prompt_id: str, error: PintleError) -> None:
        """Handles a second, failed response to an acknowledged prompt."""
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
        elif kind == "session_settled":
            self._end_finished()
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
            self._end_run(event)
        self._check_idle()

    def when_idle(self, future: "asyncio.Future[Any]") -> None:
        """Resolves the future when the server is idle, or fails it if a prompt fails late."""
        self.when_failed(future)
        if self.is_idle and not future.done():
            future.set_result(None)
        self._idle_waiters.add(future)

    def when_failed(self, future: "asyncio.Future[Any]") -> None:
        """Fails the future on a late failure, including one that nothing was waiting for and no prompt followed."""
        missed, self._missed_failure = self._missed_failure, None
        if missed:
            future.set_exception(missed)
        self._failure_waiters.add(future)

    def forget(self, future: "asyncio.Future[Any]") -> None:
        self._idle_waiters.discard(future)
        self._failure_waiters.discard(future)

    def resume(self, is_streaming: bool, is_settled: bool) -> None:
        """Applies the session's own report of its state instead of events."""
        self._is_running = is_streaming
        self._is_settling = not is_streaming and not is_settled
        self._check_idle()

    def ended_unseen(self, event: Optional[Frame]) -> None:
        """Ends all acknowledged prompts whose end was missed."""
        self._end_prompts(event)
        self.resume(False, True)

    def interrupted(self, error: PintleError) -> None:
        """Fails all acknowledged prompts, because the server has lost its run."""
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

    def _end_run(self, event: Frame) -> None:
        if not self.has_results:
            self._end_prompts(event)
        for prompt in self._prompts.values():
            if prompt.is_acknowledged:
                prompt.end = event

    def _end_prompts(self, event: Optional[Frame]) -> None:
        for prompt in self._take_acknowledged():
            if prompt.watcher:
                prompt.watcher.on_end(prompt.end or event)

    def _end_finished(self) -> None:
        """Ends prompts whose run is over: no result will follow."""
        for key, prompt in list(self._prompts.items()):
            if prompt.end is None:
                continue
            del self._prompts[key]
            if prompt.watcher:
                prompt.watcher.on_end(prompt.end)

    def _end_prompt(self, event: Frame) -> None:
        """Handles a result. With an older server, prompts that had a run have already ended with its `agent_end`."""
        key = str(event.get("id"))
        prompt = self._prompts.get(key)
        if prompt is None or (event.get("agentInvoked") and not self.has_results):
            return
        del self._prompts[key]
        if prompt.watcher:
            prompt.watcher.on_event(event)
            prompt.watcher.on_end(prompt.end, event)

    def _check_idle(self) -> None:
        if self.is_idle:
            for future in self._idle_waiters:
                if not future.done():
                    future.set_result(None)
