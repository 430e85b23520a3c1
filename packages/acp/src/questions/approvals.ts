import type { PermissionOption, RequestPermissionRequest, ToolCallContent } from "@agentclientprotocol/sdk";
import type { PermissionRequest, PermissionRule, SubagentOrigin } from "@pintle/wire";
import { textContent } from "../updates/content.ts";
import { diffsOfArguments, numberedDiffBlocks } from "../updates/diffs.ts";
import { toolKind } from "../updates/tool-table.ts";
import { visible } from "../updates/visible-text.ts";

type Question = Omit<RequestPermissionRequest, "sessionId">;

/** A question about a permission, as it is on the wire. */
export interface Approval {
  request: PermissionRequest;
  reason: string;
  suggestedRules: PermissionRule[];
  /** The subagent whose call this is. */
  subagent?: SubagentOrigin;
}

const ONCE: PermissionOption = { optionId: "allow_once", name: "Allow once", kind: "allow_once" };
const SESSION: PermissionOption = {
  optionId: "allow_session",
  name: "Allow for this session",
  kind: "allow_always",
};
const ALWAYS: PermissionOption = { optionId: "allow_always", name: "Always allow", kind: "allow_always" };
const REJECT: PermissionOption = { optionId: "deny", name: "Reject", kind: "reject_once" };

/** Shows the whole call, because the answer applies to exactly what was shown. */
export function approvalQuestion(
  { request, reason, suggestedRules, subagent }: Approval,
  call: { args: Record<string, unknown>; cwd: string },
): Question {
  const { toolCallId, tool, title, paths = [] } = request;
  const kept = keptRules(suggestedRules);
  return {
    toolCall: {
      toolCallId,
      name: tool,
      title: visible(subagent === undefined ? title : `${subagent.id} (${subagent.agent}): ${title}`),
      kind: toolKind(tool),
      status: "pending",
      rawInput: call.args,
      locations: paths.map(({ path }) => ({ path })),
      content: [
        ...shown(request, call),
        textContent(explanation(request, reason)),
        ...(kept.length > 0 ? [textContent(storedRules(kept))] : []),
      ],
    },
    // Editors preselect the first option, so the first one must have no effect.
    options: kept.length > 0 ? [REJECT, ONCE, SESSION, ALWAYS] : [REJECT, ONCE],
  };
}

/** Returns the answer for the engine. Anything except an offered option is a denial. */
export function approvalAnswer(optionId: string | undefined, { suggestedRules }: Approval): Record<string, unknown> {
  const rules = keptRules(suggestedRules);
  if (optionId === ONCE.optionId) return { decision: "allow_once" };
  if (rules.length > 0 && (optionId === SESSION.optionId || optionId === ALWAYS.optionId))
    return { decision: optionId, rules };
  return { decision: "deny" };
}

/** One click allows as little as rules can express: this call, in this project. */
function keptRules(suggestedRules: readonly PermissionRule[]): PermissionRule[] {
  const narrow = suggestedRules.filter(isNarrow);
  const ofProject = narrow.filter(({ project }) => project !== undefined);
  return ofProject.length > 0 ? ofProject : narrow;
}

/** A rule is shown in full before it is stored. */
function storedRules(rules: readonly PermissionRule[]): string {
  const lines = rules.map((rule) => visible(JSON.stringify(rule)));
  return `"${ALWAYS.name}" stores in your settings, and "${SESSION.name}" keeps until the session ends:\n${fenced(lines.join("\n"), "json")}`;
}

/** Some suggested rules allow more than the call that was shown. One click does not select those. */
function isNarrow({ command, path }: PermissionRule): boolean {
  return command?.endsWith(" *") !== true && path?.endsWith("**") !== true;
}

function shown(
  request: PermissionRequest,
  { args, cwd }: { args: Record<string, unknown>; cwd: string },
): ToolCallContent[] {
  const { tool, diff, paths = [], command } = request;
  const path = paths.find(({ access }) => access === "write")?.path;
  if (diff !== undefined && path !== undefined) return numberedDiffBlocks(path, diff);
  if (command) return [textContent(fenced(visible(command.text)))];
  return diffsOfArguments(tool, args, cwd);
}

function explanation({ command, escalation, paths = [] }: PermissionRequest, reason: string): string {
  const settings = Object.entries(command?.env ?? {}).map(([name, value]) => `${name}=${value}`);
  const elsewhere = paths.filter(({ path, real }) => path !== real).map(({ path, real }) => `${path} is ${real}`);
  return [
    ...(command?.cwd === undefined ? [] : [`in ${command.cwd}`]),
    ...(settings.length === 0 ? [] : [`with ${settings.join(" ")}`]),
    ...(escalation === undefined ? [] : [`outside the sandbox: ${escalation}`]),
    ...elsewhere,
    reason,
  ]
    .map(visible)
    .join("\n");
}

/** Returns a fence that the text cannot close. */
function fenced(text: string, language = "sh"): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
