// A model whose answers come from the extension: this one repeats its input. Use it for a protocol that pintle does not
// support.
//   pintle --extension examples/extensions/echo-model.ts --model echo/parrot -p 'Good morning'
import type { ExtensionFactory } from "pintle";

const extension: ExtensionFactory = (pi) => {
  pi.registerProvider("echo", {
    baseUrl: "http://localhost", // nothing is sent there
    apiKey: "none",
    models: [{ id: "parrot", contextWindow: 8192, maxTokens: 1024 }],
    async *streamSimple(_model, { messages }, { signal }) {
      const content = messages.findLast(({ role }) => role === "user")?.content ?? "";
      const text =
        typeof content === "string" ? content : content.map((block) => ("text" in block ? block.text : "")).join(" ");
      for (const word of text.split(/(?<= )/)) {
        signal.throwIfAborted();
        yield { type: "text_delta", contentIndex: 0, delta: word };
      }
      yield { type: "done", reason: "stop" };
    },
  });
};

export default extension;
