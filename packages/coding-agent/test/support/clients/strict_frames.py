"""What a strict host of the family requires of each frame. A frame that breaks a rule ends the connection.

Run as a program it reads frames from stdin and prints one line for each: `ok`, or the rule that is broken.
"""
import json
import sys

ROLES = {
    "user", "developer", "assistant", "toolResult", "bashExecution", "pythonExecution",
    "custom", "hookMessage", "branchSummary", "compactionSummary", "fileMention",
}
UPDATES = {
    "start", "text_start", "text_delta", "text_end", "thinking_start", "thinking_delta", "thinking_end",
    "toolcall_start", "toolcall_delta", "toolcall_end", "done", "error",
}
LEVELS = {"off", "minimal", "low", "medium", "high", "xhigh"}
DIALOGS = {
    "select", "confirm", "input", "editor", "cancel", "notify", "setStatus", "setWidget", "setTitle", "set_editor_text",
}
TODO_STATUS = {"pending", "in_progress", "completed", "abandoned"}
ACTIONS = {"context-full", "handoff"}
REASONS = {"threshold", "overflow", "idle"}


class Broken(Exception):
    """The host cannot accept the frame."""


def need(holds, rule):
    if not holds:
        raise Broken(rule)


def is_int(value):
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def text(holder, *names):
    for name in names:
        need(isinstance(holder.get(name), str), f"{name} is a string")


def text_if_present(holder, *names):
    for name in names:
        need(name not in holder or isinstance(holder[name], str), f"{name} is a string when it is there")


def integer(holder, *names):
    for name in names:
        need(is_int(holder.get(name)), f"{name} is an integer")


def flag(holder, *names):
    for name in names:
        need(isinstance(holder.get(name), bool), f"{name} is a boolean")


def listed(holder, name, of):
    need(isinstance(holder.get(name), list), f"{name} is a list")
    need(all(isinstance(item, of) for item in holder[name]), f"the items of {name} are {of.__name__}")
    return holder[name]


def message(value, role=None):
    need(isinstance(value, dict), "a message is an object")
    need(value.get("role") in ROLES, f"role {value.get('role')!r} is known")
    need(role is None or value["role"] == role, f"the role is {role}")


def response(frame):
    text(frame, "command")
    flag(frame, "success")
    need(isinstance(frame.get("data"), (dict, type(None))), "data is an object or nothing")
    if not frame["success"]:
        text(frame, "error")


def agent_end(frame):
    for item in listed(frame, "messages", dict):
        message(item)


def turn_end(frame):
    message(frame.get("message"))
    for item in listed(frame, "toolResults", dict):
        message(item, "toolResult")


def with_message(frame):
    message(frame.get("message"))


def message_update(frame):
    message(frame.get("message"))
    event = frame.get("assistantMessageEvent")
    need(isinstance(event, dict), "assistantMessageEvent is an object")
    kind = event.get("type")
    need(kind in UPDATES, f"assistantMessageEvent.type {kind!r} is known")
    if kind in ("done", "error"):
        return
    message(event.get("partial"), "assistant")
    if kind != "start":
        integer(event, "contentIndex")
    if kind.endswith("_delta"):
        text(event, "delta")
    if kind in ("text_end", "thinking_end"):
        text(event, "content")
    if kind == "toolcall_end":
        need(isinstance(event.get("toolCall"), dict), "toolCall is an object")


def tool_execution(frame):
    text(frame, "toolCallId", "toolName")
    text_if_present(frame, "intent")
    need(isinstance(frame.get("isError", False), bool), "isError is a boolean when it is there")


def compaction_start(frame):
    need(frame.get("reason") in REASONS, f"reason {frame.get('reason')!r} is known")
    need(frame.get("action") in ACTIONS, f"action {frame.get('action')!r} is known")


def compaction_end(frame):
    need(frame.get("action") in ACTIONS, f"action {frame.get('action')!r} is known")
    need(isinstance(frame.get("result"), (dict, type(None))), "result is an object or nothing")
    flag(frame, "aborted", "willRetry")


def retry_start(frame):
    integer(frame, "attempt", "maxAttempts", "delayMs")
    text(frame, "errorMessage")


def retry_end(frame):
    flag(frame, "success")
    integer(frame, "attempt")


def todo_reminder(frame):
    integer(frame, "attempt", "maxAttempts")
    for item in listed(frame, "todos", dict):
        text(item, "content")
        need(item.get("status") in TODO_STATUS, f"status {item.get('status')!r} is known")


def dialog(frame):
    text(frame, "id")
    need(frame.get("method") in DIALOGS, f"method {frame.get('method')!r} is known")
    if "timeout" in frame:
        integer(frame, "timeout")
    for name in ("options", "widgetLines"):
        if name in frame:
            listed(frame, name, str)


def host_tool_call(frame):
    text(frame, "id", "toolCallId", "toolName")
    need(isinstance(frame.get("arguments"), dict), "arguments is an object")


RULES = {
    "response": response,
    "agent_end": agent_end,
    "turn_end": turn_end,
    "message_start": with_message,
    "message_end": with_message,
    "message_update": message_update,
    "tool_execution_start": tool_execution,
    "tool_execution_update": tool_execution,
    "tool_execution_end": tool_execution,
    "auto_compaction_start": compaction_start,
    "auto_compaction_end": compaction_end,
    "auto_retry_start": retry_start,
    "auto_retry_end": retry_end,
    "todo_reminder": todo_reminder,
    "ttsr_triggered": lambda frame: listed(frame, "rules", dict),
    "extension_error": lambda frame: text(frame, "extensionPath", "event", "error"),
    "extension_ui_request": dialog,
    "host_tool_call": host_tool_call,
}


def read_frame(line):
    """Returns the frame of one line. Raises Broken unless it is an object that follows its rule."""
    try:
        frame = json.loads(line)
    except ValueError as fault:
        raise Broken(f"the line is JSON: {fault}") from fault
    need(isinstance(frame, dict), "a frame is an object")
    RULES.get(frame.get("type"), lambda _: None)(frame)
    return frame


def model(value):
    text(value, "id", "name", "api", "provider", "baseUrl")
    for name in ("contextWindow", "maxTokens"):
        need(is_number(value.get(name)), f"{name} is a number")
    for name in ("thinking", "headers", "compat", "premiumMultiplier", "preferWebsockets", "contextPromotionTarget", "priority"):
        need(name not in value or value[name] is not None, f"{name} is left out rather than null")
    if "thinking" in value:
        text(value["thinking"], "minLevel", "maxLevel", "mode")


def state(value):
    text(value, "sessionId", "systemPrompt")
    need(value.get("thinkingLevel") in LEVELS, f"thinkingLevel {value.get('thinkingLevel')!r} is known")
    flag(value, "isStreaming", "isCompacting", "autoCompactionEnabled")
    integer(value, "messageCount", "queuedMessageCount")
    if value.get("model") is not None:
        model(value["model"])


def check(line):
    try:
        read_frame(line)
        return "ok"
    except Broken as fault:
        return str(fault)


if __name__ == "__main__":
    for given in sys.stdin:
        print(check(given))
