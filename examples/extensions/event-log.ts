// Writes events, one JSON object per line, to the file that the flag names: which tool was called, how long it took,
// how it ended.
//   pintle --extension examples/extensions/event-log.ts --event-log=events.jsonl -p 'list'
// Prompts, answers and file contents are left out on purpose, so that the log can be shared.
import { appendFileSync } from "node:fs";
import { resolve } from "node:path";
import type { ExtensionFactory } from "pintle";

const extension: ExtensionFactory = (pi) => {
  pi.registerFlag("event-log", { type: "string", description: "file for the event log" });
  let file: string | undefined;
  const startedAt = new Map<string, number>();
  const log = (event: string, fields: object) => {
    if (file !== undefined)
      appendFileSync(file, `${JSON.stringify({ at: new Date().toISOString(), event, ...fields })}\n`);
  };

  pi.on("session_start", ({ reason }, ctx) => {
    const path = pi.getFlag("event-log");
    if (typeof path === "string") file = resolve(ctx.cwd, path);
    log("session", { reason, id: ctx.sessionManager.getSessionId() });
  });
  pi.on("tool_execution_start", ({ toolCallId }) => void startedAt.set(toolCallId, performance.now()));
  pi.on("tool_execution_end", ({ toolCallId, toolName, isError }) => {
    const ms = Math.round(performance.now() - (startedAt.get(toolCallId) ?? 0));
    startedAt.delete(toolCallId);
    log("tool", { toolName, isError, ms });
  });
  pi.on("turn_end", ({ turnIndex, message }) => {
    if (message.role !== "assistant") return;
    const { provider, model, stopReason, usage } = message;
    log("turn", { turnIndex, model: `${provider}/${model}`, stopReason, input: usage.input, output: usage.output });
  });
  pi.on("auto_retry_start", ({ attempt, delayMs }) => log("retry", { attempt, delayMs }));
  pi.on("session_shutdown", ({ reason }) => log("end", { reason }));
};

export default extension;
