// `/handoff GOAL` continues in a new session that contains only what matters: the goal, the files, the last answer. The
// user edits it first.
//   pintle --extension examples/extensions/handoff.ts -p 'list' --message '/handoff write the tests'
import type { ExtensionFactory } from "pintle";

const extension: ExtensionFactory = (pi) => {
  pi.registerCommand("handoff", {
    description: "Continue in a new session: /handoff GOAL",
    async handler(goal, ctx) {
      await ctx.waitForIdle();
      const messages = ctx.sessionManager
        .getBranch()
        .flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
      const files = new Set<string>();
      let last = "";
      for (const message of messages) {
        if (message.role !== "assistant") continue;
        for (const block of message.content) {
          if (block.type === "toolCall" && typeof block.arguments.path === "string") files.add(block.arguments.path);
          if (block.type === "text") last = block.text;
        }
      }
      const draft = [
        `Goal: ${goal.trim() || "go on"}`,
        ...(files.size > 0 ? [`Files so far: ${[...files].join(", ")}`] : []),
        ...(last ? [`The last answer was:\n${last}`] : []),
      ].join("\n\n");
      const prompt = await ctx.ui.editor("The prompt for the new session", draft);
      if (!prompt) return ctx.ui.notify("Nothing was handed over.");
      const parentSession = ctx.sessionManager.getSessionFile();
      // `ctx` and `pi` belong to the session that ends here; `next` belongs to the new one.
      await ctx.newSession({
        ...(parentSession && { parentSession }),
        withSession: (next) => next.sendUserMessage(prompt),
      });
    },
  });
};

export default extension;
