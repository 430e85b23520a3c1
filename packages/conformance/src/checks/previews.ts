import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentProcess } from "../agent-process.ts";
import { group } from "../check.ts";
import { require, same } from "../failure.ts";
import type { Frame } from "../frame.ts";
import { calls, says } from "../model-server.ts";
import type { Trial } from "../trial.ts";

const FILE = "staged.ts";
const BEFORE = "export const before = 1;\n";
const AFTER = "export const after = 1;\n";
const EDIT = { name: "ast_edit", args: { ops: [{ pat: "before", out: "after" }], path: FILE }, id: "call_e" };

const isAdded = ({ type }: Frame) => type === "pending_action_added";
const isResolved = ({ type }: Frame) => type === "pending_action_resolved";
const isEnd = ({ type }: Frame) => type === "agent_end";
const content = ({ cwd }: Trial) => readFileSync(join(cwd, FILE), "utf8");

/** A run that has staged a change and waits for the host. */
async function staged(trial: Trial): Promise<{ agent: AgentProcess; from: number; action: Frame }> {
  writeFileSync(join(trial.cwd, FILE), BEFORE);
  trial.model.put(calls(EDIT), says("done"));
  const agent = await trial.start();
  await agent.call("set_host_capabilities", { resolvePreviews: true });
  const from = agent.mark();
  await agent.call("prompt", { message: "go" });
  const { action } = await agent.until("pending_action_added", isAdded, from);
  return { agent, from, action };
}

export const previewChecks = group("previews", "previews", [
  [
    "staged",
    "A staged change is reported with an id, a label and its tool, is listed, and changes nothing.",
    async (trial) => {
      const { agent, from, action } = await staged(trial);
      require(typeof action?.actionId === "string" && typeof action.label === "string", "actionId or label is missing");
      same(action.sourceToolName, "ast_edit", "sourceToolName");
      const { actions } = await agent.call("get_pending_actions");
      same(
        actions?.map((one: Frame) => one.actionId),
        [action.actionId],
        "get_pending_actions",
      );
      same(content(trial), BEFORE, "the file");
      await agent.call("resolve_pending_action", { action: "discard" });
      await agent.until("agent_end", isEnd, from);
    },
    "previews",
  ],
  [
    "applied",
    "`apply` makes the change; the response and `pending_action_resolved` report it, and the run continues.",
    async (trial) => {
      const { agent, from, action } = await staged(trial);
      const { actionId } = action;
      const done = await agent.call("resolve_pending_action", { action: "apply", actionId });
      same([done.actionId, done.action, done.isError], [actionId, "apply", false], "the answer");
      const resolved = await agent.until("pending_action_resolved", isResolved, from);
      same([resolved.actionId, resolved.action, resolved.by], [actionId, "apply", "host"], "pending_action_resolved");
      await agent.until("agent_end", isEnd, from);
      same(content(trial), AFTER, "the file");
    },
    "previews",
  ],
  [
    "discarded",
    "`discard` leaves the files unchanged; the model reads the reason.",
    async (trial) => {
      const { agent, from } = await staged(trial);
      await agent.call("resolve_pending_action", { action: "discard", reason: "another day" });
      const resolved = await agent.until("pending_action_resolved", isResolved, from);
      same([resolved.action, resolved.by], ["discard", "host"], "pending_action_resolved");
      await agent.until("agent_end", isEnd, from);
      same(content(trial), BEFORE, "the file");
      const observed = JSON.stringify(trial.model.requests.at(-1)?.messages);
      require(observed.includes("another day"), "the model did not get the reason");
    },
    "previews",
  ],
  [
    "decided once",
    "A second decision, or one about a preview that does not exist, is refused and changes nothing.",
    async (trial) => {
      const { agent, from, action } = await staged(trial);
      const unknown = await agent.request("resolve_pending_action", { action: "apply", actionId: "none such" });
      same(unknown.success, false, "an unknown preview");
      same(content(trial), BEFORE, "the file");
      await agent.call("resolve_pending_action", { action: "discard", actionId: action.actionId });
      const second = await agent.request("resolve_pending_action", { action: "apply", actionId: action.actionId });
      same(second.success, false, "a second decision");
      await agent.until("agent_end", isEnd, from);
      same(content(trial), BEFORE, "the file");
    },
    "previews",
  ],
]);
