// Notifies you when a run has ended and what it did. It can also start your own program: a sound, a message, a light.
//   pintle --extension examples/extensions/tell-when-done.ts --on-done=echo -p 'what files are here'
import type { ExtensionFactory } from "pintle";

const extension: ExtensionFactory = (pi) => {
  pi.registerFlag("on-done", { type: "string", description: "program to start with a message when a run has ended" });
  let startedAt = 0;
  let calls = 0;
  let outcome = "";

  pi.on("agent_start", () => {
    startedAt = performance.now();
    calls = 0;
  });
  pi.on("tool_execution_start", () => {
    calls += 1;
  });
  pi.on("agent_end", ({ stopReason }) => {
    outcome = stopReason === "error" || stopReason === "aborted" ? stopReason : "done";
  });
  pi.on("agent_settled", async (_event, ctx) => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    const text = `${outcome}: ${calls} tool calls, ${seconds} s`;
    ctx.ui.notify(text, outcome === "done" ? "info" : "warning");
    const program = pi.getFlag("on-done");
    if (typeof program !== "string") return;
    const { code, stderr } = await pi.exec(program, [text], { cwd: ctx.cwd, timeout: 10_000 });
    if (code !== 0) ctx.ui.notify(`${program} failed: ${stderr.trim()}`, "warning");
  });
};

export default extension;
