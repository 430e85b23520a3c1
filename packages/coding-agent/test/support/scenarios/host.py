"""A host in plain Python: starts the program, talks to it line by line, and prints what it saw as one JSON object."""
import json
import subprocess
import sys

child = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")


def send(**command):
    child.stdin.write(json.dumps(command, ensure_ascii=False) + "\n")
    child.stdin.flush()


def until(wanted):
    for line in child.stdout:
        frame = json.loads(line)
        seen.append(frame["type"])
        if wanted(frame):
            return frame
    raise SystemExit("the program ended early")


seen = []
until(lambda frame: frame["type"] == "ready")
# Sends unset fields as null, and separators that text readers treat as line ends.
send(id="1", type="prompt", message="help \u2028 \u2029 \u0085", images=None, streamingBehavior=None)
end = until(lambda frame: frame["type"] == "agent_end")
until(lambda frame: frame["type"] == "agent_settled")
send(type="get_last_assistant_text")  # without an id: matched by the command
answer = until(lambda frame: frame.get("command") == "get_last_assistant_text")
child.stdin.close()
print(
    json.dumps(
        {
            "exit": child.wait(),
            "first": seen[0],
            "said": end["messages"][0]["content"][0]["text"],
            "answered": len(answer["data"]["text"]) > 0,
            "updates": seen.count("message_update") > 0,
        }
    )
)
