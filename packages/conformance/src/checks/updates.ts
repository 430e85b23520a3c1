import { group } from "../check.ts";
import { require, same } from "../failure.ts";
import { type Frame, textOf } from "../frame.ts";
import { says } from "../model-server.ts";

const PIECES = ["The ", "quick ", "brown ", "fox \u{1F98A}", "."];
const steps = (frames: readonly Frame[]): Frame[] =>
  frames
    .filter(({ type }) => type === "message_update")
    .map(({ assistantMessageEvent }) => assistantMessageEvent ?? {});

export const updateChecks = group("updates", "events", [
  [
    "deltas add up",
    "The deltas of a block add up to its text: one start, the deltas, one end.",
    async (trial) => {
      trial.model.put(says(...PIECES));
      const agent = await trial.start();
      const observed = steps(await agent.run("hello"));
      same(observed.at(0)?.type, "text_start", "the first update");
      same(observed.at(-1)?.type, "text_end", "the last update");
      const text = observed.filter(({ type }) => type === "text_delta").map(({ delta }) => delta);
      same(text.join(""), PIECES.join(""), "the deltas");
    },
  ],
  [
    "the end is whole",
    "`message_end` contains the whole message.",
    async (trial) => {
      trial.model.put(says(...PIECES));
      const agent = await trial.start();
      const frames = await agent.run("hello");
      const end = frames.findLast(({ type }) => type === "message_end");
      same(textOf(end?.message), PIECES.join(""), "text");
    },
  ],
  [
    "the message so far",
    "By default an update contains the message so far, which only grows.",
    async (trial) => {
      trial.model.put(says(...PIECES));
      const agent = await trial.start();
      const updates = (await agent.run("hello")).filter(({ type }) => type === "message_update");
      require(updates.length > 0, "there is no update");
      let last = "";
      for (const { message } of updates) {
        const text = textOf(message);
        require(text.startsWith(last), "the text has shrunk");
        last = text;
      }
      same(last, PIECES.join(""), "the last update");
    },
    "update_content",
  ],
  [
    "delta mode",
    "After `set_update_mode` with `delta`, updates have no content, and the end event is complete.",
    async (trial) => {
      trial.model.put(says(...PIECES));
      const agent = await trial.start();
      await agent.call("set_update_mode", { mode: "delta" });
      const frames = await agent.run("hello");
      const full = frames.find(({ type, message }) => type === "message_update" && message?.content?.length > 0);
      require(!full, "an update has content");
      same(textOf(frames.findLast(({ type }) => type === "message_end")?.message), PIECES.join(""), "text");
    },
    "delta_updates",
  ],
]);
