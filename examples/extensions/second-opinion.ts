// `/second-opinion provider/model` asks another model what it thinks of the last answer, and lets this one read it.
//   pintle --extension examples/extensions/second-opinion.ts -p '/second-opinion pintle/offline'
import { complete, convertToLlm, type ExtensionFactory, serializeConversation } from "pintle";

const extension: ExtensionFactory = (pi) => {
  pi.registerCommand("second-opinion", {
    description: "Ask another model about the conversation",
    async handler(args, ctx) {
      const [provider = "", ...id] = args.trim().split("/");
      const model = ctx.modelRegistry.find(provider, id.join("/"));
      const auth = model && (await ctx.modelRegistry.getApiKeyAndHeaders(model));
      if (!model || !auth?.ok) {
        ctx.ui.notify(`There is no usable model "${args.trim()}"`, "warning");
        return;
      }
      const entries = ctx.sessionManager.getBranch();
      const messages = entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
      const question = `What is wrong or missing here? Be brief.\n\n${serializeConversation(convertToLlm(messages))}`;
      const answer = await complete(
        model,
        { messages: [{ role: "user", content: question, timestamp: Date.now() }] },
        { apiKey: auth.apiKey, headers: auth.headers },
      );
      const text = answer.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
      pi.sendMessage(
        { customType: "second-opinion", content: `${model.id} says:\n${text}`, display: true },
        { triggerTurn: true },
      );
    },
  });
};

export default extension;
