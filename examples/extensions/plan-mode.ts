// `/plan` removes all tools that can change something, until `/go` restores them and starts the plan.
//   pintle --extension examples/extensions/plan-mode.ts --plan -p 'write a.txt: x'
// The mode is stored with the session, so a resumed session still plans.
import type { ExtensionContext, ExtensionFactory } from "pintle";

const LOOKS = new Set(["read", "grep", "find", "ls", "ast_grep", "todo_write", "ask"]);
const INSTRUCTIONS =
  "You are planning. Look at what there is, then write numbered steps. Change nothing: the tools for that are switched off.";

const extension: ExtensionFactory = (pi) => {
  let isPlanning = false;
  let everyTool: string[] = [];

  function plan(ctx: ExtensionContext, isOn: boolean): void {
    if (isOn && !isPlanning) {
      everyTool = pi.getActiveTools();
      pi.setActiveTools(everyTool.filter((name) => LOOKS.has(name)));
    }
    if (!isOn && isPlanning) pi.setActiveTools(everyTool);
    isPlanning = isOn;
    ctx.ui.setStatus("plan", isOn ? "planning" : undefined);
  }
  /** Requested by the user, so it is stored. */
  function choose(ctx: ExtensionContext, isOn: boolean): void {
    plan(ctx, isOn);
    pi.appendEntry("plan-mode", isOn);
  }

  pi.registerFlag("plan", { type: "boolean", default: false, description: "begin with a plan" });
  pi.on("session_start", ({ reason }, ctx) => {
    const stored = ctx.sessionManager
      .getBranch()
      .findLast((entry) => entry.type === "custom" && entry.customType === "plan-mode");
    if (stored?.type === "custom") plan(ctx, stored.data === true);
    else if (reason === "startup" && pi.getFlag("plan") === true) choose(ctx, true);
  });

  // Active tools are not part of a session: the next one must not plan because this one did.
  pi.on("session_shutdown", (_event, ctx) => plan(ctx, false));

  pi.on("before_agent_start", ({ systemPrompt }) =>
    isPlanning ? { systemPrompt: `${systemPrompt}\n\n${INSTRUCTIONS}` } : undefined,
  );
  // A model may call a tool that it was not offered, and an extension may enable one.
  pi.on("tool_call", ({ toolName }) =>
    isPlanning && !LOOKS.has(toolName) ? { block: true, reason: `No ${toolName} while planning.` } : undefined,
  );

  pi.registerCommand("plan", {
    description: "Plan without changing anything",
    handler: (_args, ctx) => choose(ctx, true),
  });
  pi.registerCommand("go", {
    description: "Carry out the plan",
    async handler(_args, ctx) {
      await ctx.waitForIdle();
      if (!isPlanning) return ctx.ui.notify("There is no plan: /plan first.", "warning");
      choose(ctx, false);
      pi.sendUserMessage("Carry out the plan.");
    },
  });
};

export default extension;
