"""A strict host: exits with an error at the first invalid frame. Runs one scenario and prints the outcome as JSON.

Usage: strict-client.py <scenario> <program> [arguments of the program]
"""
import json
import queue
import subprocess
import sys
import threading

from strict_frames import LEVELS, Broken, model, need, read_frame, state

REQUEST_LIMIT = 30
RUN_ENDERS = ("prompt", "abort_and_prompt")


class Refused(Exception):
    """The program refused the command."""


class Client:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")
        self.frames = queue.Queue()
        self.seen = []
        self.host_tools = {}
        self.pending = {}
        self.starts = 0
        self.completions = 0
        self.last_id = 0
        threading.Thread(target=self._read, daemon=True).start()
        need(self.next_frame()["type"] == "ready", "ready is the first line")

    def _read(self):
        try:
            for line in self.process.stdout:
                self.frames.put(read_frame(line))
            self.frames.put(Broken("the program has ended"))
        except Broken as fault:
            self.frames.put(fault)

    def next_frame(self):
        frame = self.frames.get(timeout=REQUEST_LIMIT)
        if isinstance(frame, Broken):
            raise frame
        self.seen.append(frame)
        self._account(frame)
        return frame

    def _account(self, frame):
        """One completion for each end of a run and each late failure of a prompt."""
        kind = frame["type"]
        if kind == "agent_end":
            self.completions += 1
        if kind == "host_tool_call":
            self._serve(frame)
        if kind != "response":
            return
        asked = self.pending.pop(self._match(frame), None)
        if asked is not None:
            asked["answer"] = frame
            if frame["command"] in RUN_ENDERS and frame["success"]:
                self.starts += 1
        elif frame["command"] in RUN_ENDERS and not frame["success"]:
            self.completions += 1

    def _match(self, frame):
        if "id" in frame:
            return frame["id"]
        same = [key for key, asked in self.pending.items() if asked["type"] == frame["command"]]
        if len(same) == 1:
            return same[0]
        return next(iter(self.pending)) if frame["command"] == "parse" and len(self.pending) == 1 else None

    def _serve(self, frame):
        outcome = self.host_tools[frame["toolName"]](frame["arguments"])
        update = {"content": [{"type": "text", "text": "working"}], "details": None}
        self.write({"type": "host_tool_update", "id": frame["id"], "partialResult": update})
        result = {"content": [{"type": "text", "text": outcome}], "details": None}
        self.write({"type": "host_tool_result", "id": frame["id"], "result": result, "isError": False})

    def write(self, *frames):
        self.process.stdin.write("".join(json.dumps(frame, ensure_ascii=False) + "\n" for frame in frames))
        self.process.stdin.flush()

    def send(self, kind, **fields):
        """Returns the id, for `answer`."""
        asked, frame = self.prepare(kind, **fields)
        self.write(frame)
        return asked

    def prepare(self, kind, **fields):
        self.last_id += 1
        key = f"req-{self.last_id}"
        self.pending[key] = asked = {"type": kind}
        return asked, {"id": key, "type": kind, **fields}

    def answer(self, asked):
        while "answer" not in asked:
            self.next_frame()
        if not asked["answer"]["success"]:
            raise Refused(asked["answer"]["error"])
        return asked["answer"].get("data")

    def call(self, kind, **fields):
        return self.answer(self.send(kind, **fields))

    def until(self, *types):
        while True:
            frame = self.next_frame()
            if frame["type"] in types:
                return frame

    def idle(self):
        while self.completions < self.starts:
            self.next_frame()

    def prompt_and_wait(self, message):
        """The text of the last assistant message of the run."""
        self.call("prompt", message=message, images=None, streamingBehavior=None)
        self.idle()
        end = next(frame for frame in reversed(self.seen) if frame["type"] == "agent_end")
        blocks = [item for item in end["messages"] if item["role"] == "assistant"][-1]["content"]
        return "".join(block.get("text", "") for block in blocks)

    def close(self):
        """Does not wait: closes stdin and sends the signal together, and kills the program a second later."""
        self.process.stdin.close()
        self.process.terminate()
        return self.process.wait(timeout=REQUEST_LIMIT)


def refusal(client, kind, **fields):
    try:
        client.call(kind, **fields)
    except Refused as reason:
        return str(reason)
    return None


def conversation(client):
    yield "answer", client.prompt_and_wait("hello \u2028 there")
    yield "again", client.prompt_and_wait("once more")
    state(client.call("get_state"))
    yield "stats", client.call("get_session_stats")["userMessages"]
    yield "last", client.call("get_last_assistant_text")["text"]


def tools(client):
    client.host_tools["weather"] = lambda arguments: f"sunny in {arguments['city']}"
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    tool = {"name": "weather", "label": None, "description": "Weather of a city", "parameters": schema, "hidden": False}
    yield "names", client.call("set_host_tools", tools=[tool])["toolNames"]
    yield "answer", client.prompt_and_wait("weather?")
    messages = client.call("get_messages")["messages"]
    yield "results", [item["content"][0]["text"] for item in messages if item["role"] == "toolResult"]


def queues(client):
    client.call("set_steering_mode", mode="one-at-a-time")
    client.call("set_interrupt_mode", mode="wait")
    client.call("prompt", message="first", images=None, streamingBehavior=None)
    client.until("tool_execution_start")
    client.call("steer", message="now", images=None)
    client.call("follow_up", message="later", images=None)
    client.idle()
    messages = client.call("get_messages")["messages"]
    yield "said", [item["content"][0]["text"] for item in messages if item["role"] == "user"]


def aborts(client):
    client.call("prompt", message="long", images=None, streamingBehavior=None)
    client.until("message_update")
    yield "busy", refusal(client, "prompt", message="too early")
    client.call("abort")
    yield "ended", client.completions == client.starts
    # In one write: the prompt must not begin before the abort arrives.
    early, prompt = client.prepare("prompt", message="never begun")
    stopped, abort = client.prepare("abort")
    client.write(prompt, abort)
    client.answer(stopped)
    client.answer(early)
    client.idle()
    yield "late failures", sum(f["type"] == "response" and not f["success"] and f.get("code") == "cancelled" for f in client.seen)
    client.call("abort_and_prompt", message="next", images=None)
    client.idle()
    yield "answer", client.call("get_last_assistant_text")["text"]


def sessions(client):
    client.prompt_and_wait("first")
    client.prompt_and_wait("second")
    file = client.call("get_state")["sessionFile"]
    yield "new", client.call("new_session", parentSession=None)
    yield "back", client.call("switch_session", sessionPath=file)
    choices = client.call("get_branch_messages")["messages"]
    yield "branch", client.call("branch", entryId=choices[1]["entryId"])
    yield "kept", client.call("get_state")["messageCount"]
    client.call("switch_session", sessionPath=file)
    yield "summary", client.call("compact", customInstructions=None)["summary"]
    yield "begins with", client.call("get_messages")["messages"][0]["role"]
    client.call("set_session_name", name="mine")
    yield "name", client.call("get_state")["sessionName"]


def settings(client):
    models = client.call("get_available_models")["models"]
    for item in models:
        model(item)
    yield "models", [item["id"] for item in models if item["provider"] == "local"]
    model(client.call("set_model", provider="local", modelId="thinker"))
    client.call("set_thinking_level", level="high")
    yield "level", client.call("get_state")["thinkingLevel"]
    need(client.call("cycle_thinking_level")["level"] in LEVELS, "a known level")
    model(client.call("cycle_model")["model"])
    yield "refused", refusal(client, "set_model", provider="local", modelId="missing")
    yield "unknown", refusal(client, "no_such_command")
    task = {"id": None, "content": "write", "status": "pending", "notes": None, "details": None}
    phases = client.call("set_todos", phases=[{"id": None, "name": "One", "tasks": [task]}])["todoPhases"]
    yield "todos", phases
    client.prompt_and_wait("work")  # reminders follow, because the task stays open
    state(client.call("get_state"))
    yield "reminded", any(frame["type"] == "todo_reminder" for frame in client.seen)


def commands(client):
    done = client.call("bash", command="echo out; exit 3")
    yield "done", [done["output"], done["exitCode"], done["cancelled"]]
    endless = client.send("bash", command="echo begun; sleep 60")
    client.call("abort_bash")
    yield "cancelled", client.answer(endless)["cancelled"]


def recovery(client):
    yield "answer", client.prompt_and_wait("overloaded")
    yield "retries", [f["type"] for f in client.seen if f["type"].startswith("auto_retry")]


def compaction(client):
    client.prompt_and_wait("fill it")
    yield "compacted", "result" in client.until("auto_compaction_end")
    yield "begins with", client.call("get_messages")["messages"][0]["role"]


SCENARIOS = {
    play.__name__: play
    for play in (conversation, tools, queues, aborts, sessions, settings, commands, recovery, compaction)
}


def main():
    client = Client(sys.argv[2:])
    outcome = dict(SCENARIOS[sys.argv[1]](client))
    outcome["balance"] = client.starts - client.completions
    outcome["exit"] = client.close()
    print(json.dumps(outcome))


main()
