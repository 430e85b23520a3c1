import { group } from "../check.ts";
import { require, same } from "../failure.ts";
import { type Frame, spoken, textOf } from "../frame.ts";
import { fails, hangs, says } from "../model-server.ts";

const typesOf = (frames: readonly Frame[]) => frames.map(({ type }) => type);
const count = (frames: readonly Frame[], wanted: string) => frames.filter(({ type }) => type === wanted).length;

export const runChecks = group("runs", "events", [
  [
    "acknowledged first",
    "The response to `prompt` comes before every event that it causes.",
    async (trial) => {
      trial.model.put(says("hi"));
      const agent = await trial.start();
      const frames = await agent.run("hello");
      const types = typesOf(frames);
      const [response, start] = [types.indexOf("response"), types.indexOf("agent_start")];
      require(start !== -1, "there is no agent_start");
      require(response < start, "agent_start came before the response");
    },
  ],
  [
    "order of a plain answer",
    "A run is agent_start, turn_start, the user's message, the answer, turn_end, agent_end.",
    async (trial) => {
      trial.model.put(says("hi"));
      const agent = await trial.start();
      const frames = (await agent.run("hello")).filter(
        ({ message }) => message === undefined || spoken([message]).length > 0,
      );
      const observed = typesOf(frames).filter((type) => GRAMMAR.has(type));
      same(
        observed.filter((type, index) => type !== "message_update" || observed[index - 1] !== "message_update"),
        [
          "agent_start",
          "turn_start",
          "message_start",
          "message_end",
          "message_start",
          "message_update",
          "message_end",
          "turn_end",
          "agent_end",
        ],
        "events",
      );
    },
  ],
  [
    "one start, one end",
    "Each run has one `agent_start` and one `agent_end`; runs do not overlap.",
    async (trial) => {
      trial.model.put(says("one"), says("two"));
      const agent = await trial.start();
      await agent.run("first");
      await agent.run("second");
      const observed = typesOf(agent.frames).filter((type) => type === "agent_start" || type === "agent_end");
      same(observed, ["agent_start", "agent_end", "agent_start", "agent_end"], "starts and ends");
    },
  ],
  [
    "settled once",
    "`agent_settled` follows the `agent_end` of every run, once, before the next `agent_start`.",
    async (trial) => {
      trial.model.put(says("one"), says("two"));
      const agent = await trial.start();
      for (const message of ["first", "second"]) {
        const from = agent.mark();
        await agent.run(message);
        await agent.until("agent_settled", ({ type }) => type === "agent_settled", from);
      }
      const observed = typesOf(agent.frames).filter((type) =>
        ["agent_start", "agent_end", "agent_settled"].includes(type),
      );
      same(observed, [...RUN, ...RUN], "events");
    },
    "settled",
  ],
  [
    "prompt_result",
    "Every accepted prompt is ended by one `prompt_result` with its id.",
    async (trial) => {
      trial.model.put(says("one"));
      const agent = await trial.start();
      const from = agent.mark();
      agent.send({ id: "mine", type: "prompt", message: "hello" });
      await agent.until("prompt_result", ({ type, id }) => type === "prompt_result" && id === "mine", from);
      await agent.call("get_state");
      same(count(agent.frames, "prompt_result"), 1, "number of prompt_result frames");
    },
    "prompt_result",
  ],
  [
    "messages of agent_end",
    "`agent_end` contains the messages of the run.",
    async (trial) => {
      trial.model.put(says("the answer"));
      const agent = await trial.start();
      const { messages } = (await agent.run("the question")).at(-1) ?? {};
      require(Array.isArray(messages), "agent_end has no list of messages");
      same(spoken(messages).map(textOf), ["the question", "the answer"], "texts");
    },
  ],
  [
    "a message has a start and an end",
    "Every `message_start` has its `message_end`, with the same role, before the next one starts.",
    async (trial) => {
      trial.model.put(says("hi"));
      const agent = await trial.start();
      const frames = (await agent.run("hello")).filter(
        ({ type }) => type === "message_start" || type === "message_end",
      );
      require(frames.length % 2 === 0, "a message has no end");
      for (let n = 0; n < frames.length; n += 2) {
        const pair = [frames[n], frames[n + 1]].map((frame) => [frame?.type, frame?.message?.role]);
        same(
          pair,
          [
            ["message_start", pair[0]?.[1]],
            ["message_end", pair[0]?.[1]],
          ],
          "a message",
        );
      }
    },
  ],
  [
    "an error of the provider ends the run",
    'If the provider refuses, the answer has `stopReason: "error"` and a message, the run ends, and the next prompt works.',
    async (trial) => {
      trial.model.put(fails(400, "this request is wrong"), says("better"));
      const agent = await trial.start();
      const frames = await agent.run("hello");
      const failed = frames.find(({ type, message }) => type === "message_end" && message?.role === "assistant");
      same(failed?.message.stopReason, "error", "stopReason");
      require(typeof failed?.message.errorMessage === "string", "the answer has no errorMessage");
      const { messages } = (await agent.run("again")).at(-1) ?? {};
      same(textOf(messages?.at(-1)), "better", "the next answer");
    },
  ],
  [
    "refused while running",
    "A plain `prompt` during a run is refused and does not disturb it.",
    async (trial) => {
      const { answer, reached, release } = hangs("a part");
      trial.model.put(answer);
      const agent = await trial.start();
      const from = agent.mark();
      await agent.call("prompt", { message: "first" });
      await reached;
      same((await agent.request("prompt", { message: "second" })).success, false, "success of the second prompt");
      release();
      await agent.until("agent_end", ({ type }) => type === "agent_end", from);
      await agent.call("get_state");
      same(count(agent.frames, "agent_start"), 1, "number of runs");
    },
  ],
  [
    "accepted after agent_end",
    "Once `agent_end` can be read, a plain `prompt` is accepted again.",
    async (trial) => {
      const agent = await trial.start();
      for (let n = 0; n < 5; n += 1) {
        trial.model.put(says(`answer ${n}`));
        await agent.run(`prompt ${n}`);
      }
      same(trial.model.requests.length, 5, "number of model calls");
    },
  ],
]);

const RUN = ["agent_start", "agent_end", "agent_settled"];
const GRAMMAR = new Set([
  "agent_start",
  "agent_end",
  "turn_start",
  "turn_end",
  "message_start",
  "message_update",
  "message_end",
]);
