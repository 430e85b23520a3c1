import { setTimeout as delay } from "node:timers/promises";
import { group } from "../check.ts";
import { require, same } from "../failure.ts";
import { endedMessages, textOf } from "../frame.ts";
import { hangs, says } from "../model-server.ts";

const MEBIBYTE = 1024 * 1024;
/** Adjacent pieces may be joined in transit; the agent must handle both. */
const BETWEEN_PIECES_MS = 30;

export const framingChecks = group("framing", "frames-and-ids", [
  [
    "ready first",
    "The first line is `ready`, once.",
    async (trial) => {
      const agent = await trial.start();
      same(agent.frames[0]?.type, "ready", "type of the first line");
      same(agent.frames.filter(({ type }) => type === "ready").length, 1, "number of ready frames");
    },
    "ready",
  ],
  [
    "objects with a type",
    "Every line on stdout is one JSON object with a string `type`, even during a whole run.",
    async (trial) => {
      trial.model.put(says("one", " two"));
      const agent = await trial.start();
      await agent.run("hello");
      const wrong = agent.frames.find(({ type }) => typeof type !== "string");
      require(!wrong, `a frame has no type: ${JSON.stringify(wrong)}`);
    },
  ],
  [
    "line separators in strings",
    "U+2028 and U+2029 are ordinary characters in both directions.",
    async (trial) => {
      trial.model.put(says("a\u2028b\u2029c"));
      const agent = await trial.start();
      const frames = await agent.run("x\u2028y\u2029z");
      same(endedMessages(frames).map(textOf), ["x\u2028y\u2029z", "a\u2028b\u2029c"], "text of the messages");
    },
  ],
  [
    "CRLF",
    "A CR before the LF of a command is dropped.",
    async (trial) => {
      const agent = await trial.start();
      const from = agent.mark();
      agent.write('{"id":"crlf","type":"get_state"}\r\n');
      const { success } = await agent.until("the response", ({ id }) => id === "crlf", from);
      same(success, true, "success");
    },
  ],
  [
    "blank lines",
    "Blank lines are ignored.",
    async (trial) => {
      const agent = await trial.start();
      const from = agent.mark();
      agent.write('\n\n{"id":"blank","type":"get_state"}\n\n');
      await agent.until("the response", ({ id }) => id === "blank", from);
      await agent.call("get_state");
      same(failures(agent.frames.slice(from)), [], "failures");
    },
  ],
  [
    "cut anywhere",
    "A frame may arrive in pieces, cut inside a character.",
    async (trial) => {
      const agent = await trial.start();
      const from = agent.mark();
      const bytes = Buffer.from('{"id":"cut","type":"set_session_name","name":"Zoë 🙂"}\n');
      const middle = bytes.indexOf("🙂") + 2;
      for (const piece of [bytes.subarray(0, 9), bytes.subarray(9, middle), bytes.subarray(middle)]) {
        agent.write(piece);
        await delay(BETWEEN_PIECES_MS);
      }
      const { success } = await agent.until("the response", ({ id }) => id === "cut", from);
      same(success, true, "success");
      same((await agent.call("get_state")).sessionName, "Zoë 🙂", "sessionName");
    },
  ],
  [
    "many in one write",
    "Commands in one write are all answered, ordered ones in the order in which they were sent.",
    async (trial) => {
      const agent = await trial.start();
      const from = agent.mark();
      const ids = Array.from({ length: 20 }, (_, n) => `many-${n}`);
      agent.write(ids.map((id) => `${JSON.stringify({ id, type: "set_session_name", name: id })}\n`).join(""));
      await agent.until("the last response", ({ id }) => id === ids.at(-1), from);
      const answered = agent.frames.slice(from).filter(({ type }) => type === "response");
      same(
        answered.map(({ id }) => id),
        ids,
        "order of the responses",
      );
    },
  ],
  [
    "a line of a mebibyte",
    "A long line is read whole.",
    async (trial) => {
      trial.model.put(says("long"));
      const agent = await trial.start();
      const message = "long ".repeat(MEBIBYTE / 5);
      const frames = await agent.run(message);
      same(textOf(endedMessages(frames)[0]).trim().length, message.trim().length, "length of the user's message");
    },
  ],
  [
    "end of stdin",
    "When stdin is closed the process ends with code 0.",
    async (trial) => {
      const agent = await trial.start();
      same(await agent.end(), { code: 0, signal: null }, "exit status");
    },
  ],
  [
    "end of stdin in a run",
    "When stdin is closed in the middle of a run the process ends with code 0.",
    async (trial) => {
      const { answer, reached } = hangs("a part");
      trial.model.put(answer);
      const agent = await trial.start();
      await agent.call("prompt", { message: "go" });
      await reached;
      same(await agent.end(), { code: 0, signal: null }, "exit status");
    },
  ],
]);

const failures = (frames: readonly { type?: string; success?: boolean }[]) =>
  frames.filter(({ type, success }) => type === "response" && success !== true);
