import type { ExtensionFactory } from "../../../src/extensibility/api/extension-types.ts";

// A model that calls the tool named in the prompt: `name {"argument": "value"}`. Loaded by the built program.

const CALL = /^(\w+) (\{.*\})$/s;

const caller: ExtensionFactory = (pi) => {
  let calls = 0;
  pi.registerProvider("script", {
    baseUrl: "http://script.invalid",
    apiKey: "none",
    api: "openai-completions",
    models: [{ id: "caller", name: "Caller", reasoning: false, contextWindow: 100_000, maxTokens: 1_000 }],
    async *streamSimple(_model, { messages }) {
      const last = messages.at(-1);
      const call = last?.role === "user" ? CALL.exec(textOf(last.content)) : null;
      calls += 1;
      const content = call
        ? [{ type: "toolCall", id: `call_${calls}`, name: call[1], arguments: JSON.parse(call[2]!) }]
        : [{ type: "text", text: "done" }];
      const stopReason = call ? "toolUse" : "stop";
      yield { type: "done", reason: stopReason, message: { role: "assistant", content, stopReason, timestamp: 1 } };
    },
  });
};

function textOf(content: string | readonly { type: string; text?: string }[]): string {
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
}

export default caller;
