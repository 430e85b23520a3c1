"""Options of clients and runs: their types, and the flags that some of them become."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, TypedDict, Union

from ._output import OutputSchema
from .handlers import QuestionHandlers
from .questions import BudgetHandler, PreviewHandler


class HandlerOptions(QuestionHandlers, total=False):
    """Handlers for the server's questions, named like the methods that install them."""

    on_preview: Optional[PreviewHandler]
    on_budget: Optional[BudgetHandler]


class SetupOptions(HandlerOptions, total=False):
    """Options that are applied to a session before its first prompt."""

    # Rules that override the preset and all other rules.
    policy: Optional[Sequence[Mapping[str, Any]]]
    # Limits for runs, with the names used on the wire: costUsd, tokens, turns, wallMs, toolCalls.
    budget: Optional[Mapping[str, Any]]


class FlagOptions(TypedDict, total=False):
    """Options that become command-line flags."""

    thinking: Optional[str]
    api_key: Optional[str]
    session: Optional[str]
    no_session: bool
    system_prompt: Optional[str]
    append_system_prompt: Union[None, str, Sequence[str]]
    permissions: Optional[Literal["plan", "ask", "workspace", "full"]]
    sandbox: Optional[Literal["auto", "off", "workspace-write", "read-only"]]
    trust: Optional[bool]
    add_dirs: Optional[Sequence[str]]
    settings: Optional[Mapping[str, Any]]
    builtin_tools: Optional[Sequence[str]]
    exclude_tools: Optional[Sequence[str]]
    record: Optional[str]
    replay: Optional[str]
    replay_speed: Optional[float]


class ClientOptions(SetupOptions, FlagOptions, total=False):
    """Options of a client other than those in its signature."""


class DefaultOutput(ClientOptions, total=False):
    # Describes the output of every prompt without a schema of its own.
    output_schema: Optional[OutputSchema]


_SESSION_CHOICES = ("--session", "--resume", "-r", "--continue", "-c", "--session-id", "--fork")


def _value(flag: str, text: str) -> List[str]:
    """A value that looks like a flag must be part of the same argument."""
    return [f"{flag}={text}"] if text.startswith("-") else [flag, text]


def _plain_text(text: str) -> str:
    """The program treats a value that names a file, or starts with @, as that file; a line break prevents that."""
    if text == "":
        return text
    return f"\n{text}" if text.startswith("@") else f"{text}\n"


def _texts(flag: str, texts: Union[str, Sequence[str]]) -> List[str]:
    every = [texts] if isinstance(texts, str) else list(texts)
    return [part for text in every for part in _value(flag, _plain_text(text))]


def _settings(settings: Mapping[str, Any]) -> List[str]:
    return [part for key, value in settings.items() for part in ("--set", f"{key}={json.dumps(value)}")]


def _named(flag: str) -> Callable[[Any], List[str]]:
    return lambda value: _value(flag, str(value))


# By option: its flags, and the flags in `args` that would conflict with it.
_ROWS: Dict[str, Tuple[Callable[[Any], List[str]], Sequence[str]]] = {
    "provider": (_named("--provider"), ("--provider",)),
    "model": (_named("--model"), ("--model",)),
    "thinking": (_named("--thinking"), ("--thinking",)),
    "api_key": (_named("--api-key"), ("--api-key",)),
    "session_dir": (_named("--session-dir"), ("--session-dir",)),
    "session": (_named("--session"), (*_SESSION_CHOICES, "--no-session")),
    "no_session": (lambda is_set: ["--no-session"] if is_set else [], _SESSION_CHOICES),
    "system_prompt": (lambda text: _texts("--system-prompt", text), ("--system-prompt",)),
    "append_system_prompt": (lambda texts: _texts("--append-system-prompt", texts), ()),
    "permissions": (_named("--permissions"), ("--permissions",)),
    "sandbox": (_named("--sandbox"), ("--sandbox",)),
    "trust": (
        lambda is_trusted: ["--trust" if is_trusted else "--no-trust"],
        ("--trust", "-a", "--approve", "--no-trust", "-na", "--no-approve"),
    ),
    "add_dirs": (lambda paths: [part for path in paths for part in _value("--add-dir", str(path))], ()),
    "settings": (_settings, ()),
    "builtin_tools": (
        lambda names: _value("--tools", ",".join(names)),
        ("--tools", "-t", "--no-tools", "-nt", "--no-builtin-tools", "-nbt"),
    ),
    "exclude_tools": (lambda names: _value("--exclude-tools", ",".join(names)), ("--exclude-tools", "-xt")),
    "record": (_named("--record"), ("--record",)),
    "replay": (_named("--replay"), ("--replay",)),
    "replay_speed": (_named("--replay-speed"), ("--replay-speed",)),
    "strict_host": (lambda is_strict: ["--strict-host"] if is_strict else [], ()),
    # Sent as commands instead of flags.
    "policy": (lambda _rules: [], ("--policy",)),
    "budget": (lambda _budget: [], ("--budget", "--max-time")),
    "output_schema": (lambda _schema: [], ("--output-schema",)),
}


def flag_args(options: Mapping[str, Any], args: Sequence[str]) -> List[str]:
    """Returns the flags for the options. Raises TypeError if an option conflicts with `args` or with another option."""
    if options.get("no_session") and options.get("session") is not None:
        raise TypeError("The options session and no_session conflict; set only one of them")
    own: List[str] = []
    for name, (to_flags, excludes) in _ROWS.items():
        value = options.get(name)
        if value is None or (value is False and name != "trust"):
            continue
        flags = to_flags(value)
        _refuse_contradiction(name, flags, excludes, args)
        own += flags
    _refuse_other_settings(options.get("settings") or {}, args)
    return own


def check_names(options: Mapping[str, Any], known: Any, what: str) -> None:
    """Raises TypeError for an unknown option, as a signature with all names would."""
    for name in options:
        if name not in known.__annotations__:
            raise TypeError(f"{what} got an unexpected keyword argument {name!r}")


_BUDGET_NAMES = ("costUsd", "tokens", "turns", "wallMs", "toolCalls", "scope", "onReached", "costUnknown")


def check_budget(budget: Optional[Mapping[str, Any]]) -> None:
    """Raises TypeError for an unknown limit, because the run would have no limit at all."""
    for name in budget or {}:
        if name not in _BUDGET_NAMES:
            raise TypeError(f"{name} is not a limit or field of budget. There are: {', '.join(_BUDGET_NAMES)}")


def _refuse_contradiction(name: str, own: Sequence[str], excludes: Sequence[str], args: Sequence[str]) -> None:
    """Repeating a flag with the same value is not a conflict."""
    for index, arg in enumerate(args):
        flag, _, rest = arg.partition("=")
        if flag not in excludes:
            continue
        following = args[index + 1] if index + 1 < len(args) else None
        is_same = bool(own) and own[0] == arg and (len(own) < 2 or own[1] == following)
        is_same_in_one = len(own) == 2 and own[0] == flag and own[1] == rest
        if not is_same and not is_same_in_one:
            raise TypeError(f"The option {name} conflicts with args ({flag})")


def _refuse_other_settings(settings: Mapping[str, Any], args: Sequence[str]) -> None:
    for index, arg in enumerate(args):
        text = args[index + 1] if arg == "--set" and index + 1 < len(args) else arg[6:] if arg.startswith("--set=") else ""
        key, _, value = text.partition("=")
        if key.strip() in settings and value not in (json.dumps(settings[key.strip()]), settings[key.strip()]):
            raise TypeError(f"The option settings[{key.strip()!r}] conflicts with args (--set)")
