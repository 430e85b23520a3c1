// A model for tests of a gateway, as an extension of the real engine: it executes the words of the prompt as a script. It writes each
// run to a journal, so that a test can count the runs.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { ExtensionFactory } from "pintle";

type Call = { name: string; arguments: Record<string, unknown> };
type Answer = string | { call: Call };

/** The words that a prompt may contain. Answers that are calls are followed by the text of their result. */
const ANSWERS: Record<string, (rest: string) => Answer | Promise<Answer>> = {
  say: (text) => text,
  deltas: (count) => Array.from({ length: Number.parseInt(count, 10) }, (_, i) => `${i} `).join(""),
  slow: async (ms) => {
    await new Promise((resolve) => setTimeout(resolve, Number(ms)));
    return "slow";
  },
  confirm: () => ({ call: { name: "confirm", arguments: {} } }),
  approve: () => ({ call: { name: "bash", arguments: { command: "touch approved && echo allowed" } } }),
  file: (path) => ({ call: { name: "read", arguments: { path } } }),
  call: (name) => ({ call: { name, arguments: {} } }),
};

const extension: ExtensionFactory = (pi) => {
  const journal = (text: string) => appendFileSync(join(process.env.HOME ?? ".", "journal"), `${text}\n`);
  pi.on("session_start", () => journal("start"));
  pi.registerTool({
    name: "confirm",
    description: "Asks the user.",
    parameters: { type: "object", properties: {} },
    async execute(_id, _args, _signal, _onUpdate, ctx) {
      return { content: [{ type: "text", text: `confirmed ${await ctx.ui.confirm("t", "m")}` }], details: {} };
    },
  });
  pi.registerProvider("scripted", {
    baseUrl: "http://localhost", // it receives no requests
    apiKey: "none",
    models: [{ id: "script", contextWindow: 100_000, maxTokens: 1024 }],
    async *streamSimple(_model, { messages }, { signal }) {
      const last = messages.at(-1);
      // The engine merges messages, and may append its own, such as a change of permissions.
      const lines = messages.flatMap(({ role, content }) =>
        role === "user" ? textsOf(content).join("\n").split("\n") : [],
      );
      const prompt = lines.findLast((text) => wordOf(text) in ANSWERS) ?? "say";
      if (last?.role !== "toolResult") journal(`run ${prompt}`);
      const answer =
        last?.role === "toolResult"
          ? textsOf(last.content).join("")
          : await ANSWERS[wordOf(prompt)]!(prompt.slice(wordOf(prompt).length + 1));
      if (typeof answer === "string") {
        yield { type: "text_start", contentIndex: 0 };
        for (const delta of answer.match(/\S+\s*/g) ?? []) {
          signal.throwIfAborted();
          yield { type: "text_delta", contentIndex: 0, delta };
        }
        yield { type: "text_end", contentIndex: 0, content: answer };
      } else yield { type: "toolcall_end", contentIndex: 0, toolCall: { ...answer.call, id: crypto.randomUUID() } };
      yield { type: "done", reason: "stop" };
    },
  });
};

const wordOf = (text: string) => text.split(" ", 1)[0]!;

function textsOf(content: unknown): string[] {
  return typeof content === "string" ? [content] : (content as { text?: string }[]).map(({ text = "" }) => text);
}

export default extension;
