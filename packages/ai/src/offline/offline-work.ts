import { isRecord } from "../foundation/is-record.ts";
import type { ToolResultMessage } from "../messages.ts";
import { missingTool } from "./offline-answers.ts";
import {
  reportCall,
  reportFailure,
  reportList,
  reportOutcome,
  reportPreview,
  reportRead,
  reportRun,
  reportSearch,
} from "./offline-reports.ts";
import { needsTool, parseRequests, type ToolIntent, type UserRequest } from "./offline-requests.ts";
import { count, firstLine, quote, some } from "./offline-wording.ts";

export interface ToolRequest {
  name: string;
  arguments: Record<string, unknown>;
}

/**
 * How a request ended. `skipped`: it could not be attempted, others still can. `failed`: its tool failed, and the work
 * stops.
 */
type End = "done" | "skipped" | "failed";

/** Work that pauses at every tool call until it receives the result. */
export type Work = Generator<ToolRequest, End, ToolResultMessage>;

export interface WorkContext {
  isActive(tool: string): boolean;
  say(text: string): void;
}

type Of<K extends ToolIntent["kind"]> = Extract<ToolIntent, { kind: K }>;
type Worker<K extends ToolIntent["kind"]> = (intent: Of<K>, request: string, context: WorkContext) => Work;

const workers: { [K in ToolIntent["kind"]]: Worker<K> } = {
  list: ({ path }, request, context) =>
    useTool(request, context, "ls", path === undefined ? {} : { path }, (result) => reportList(path, result)),
  read: ({ path }, request, context) =>
    useTool(request, context, "read", { path }, (result) => reportRead(path, result)),
  search: ({ text, path }, request, context) => {
    const where = path === undefined ? {} : { path };
    return useTool(request, context, "grep", { pattern: text, ...where, literal: true }, (result) =>
      reportSearch(text, result),
    );
  },
  run: ({ command }, request, context) => runCommand(command, request, context),
  write: ({ path, content }, request, context) =>
    useTool(request, context, "write", { path, content }, (result) => `${reportOutcome(result)}.`),
  rename,
  plan,
  call: callTool,
};

export function work({ text, intent }: { text: string; intent: ToolIntent }, context: WorkContext): Work {
  const worker = workers[intent.kind] as Worker<ToolIntent["kind"]>;
  return worker(intent, text, context);
}

/** Performs requests one after the other until a tool fails. The caller handles what is not understood. */
export function* workThrough(requests: readonly UserRequest[], context: WorkContext): Work {
  for (const [index, { text, intent }] of requests.entries()) {
    if (!needsTool(intent)) continue;
    if ((yield* work({ text, intent }, context)) !== "failed") continue;
    const left = requests.length - index - 1;
    if (left > 0) context.say(`I stop here; ${count(left, "request is", "requests are")} left.`);
    return "failed";
  }
  return "done";
}

function* useTool(
  request: string,
  context: WorkContext,
  name: string,
  args: Record<string, unknown>,
  report: (result: ToolResultMessage) => string,
): Work {
  if (!context.isActive(name)) return skip(missingTool(request, name), context);
  const result = yield { name, arguments: args };
  if (result.isError) return fail(request, result, context);
  context.say(report(result));
  return "done";
}

function* runCommand(command: string, request: string, context: WorkContext): Work {
  if (!context.isActive("bash")) return skip(missingTool(request, "bash"), context);
  const result = yield { name: "bash", arguments: { command } };
  context.say(reportRun(command, result));
  return result.isError ? "failed" : "done";
}

/** If the model decides about previews, there is a tool for it; otherwise the result contains the host's decision. */
function* rename({ from, to, path, previewOnly }: Of<"rename">, request: string, context: WorkContext): Work {
  if (!context.isActive("ast_edit")) return skip(missingTool(request, "ast_edit"), context);
  const where = path === undefined ? {} : { path };
  const preview = yield { name: "ast_edit", arguments: { ops: [{ pat: from, out: to }], ...where } };
  if (preview.isError) return fail(request, preview, context);
  const isStaged = !reportOutcome(preview).startsWith("No replacements");
  if (!isStaged || !context.isActive("resolve")) {
    context.say(reportOutcome(preview));
    return "done";
  }
  const outcome = yield resolveCall(previewOnly ? "discard" : "apply", request);
  if (previewOnly) context.say(reportPreview(preview));
  if (outcome.isError) return fail(request, outcome, context);
  context.say(reportOutcome(outcome));
  return "done";
}

export function resolveCall(action: "apply" | "discard", request: string): ToolRequest {
  return { name: "resolve", arguments: { action, reason: `The request was: ${firstLine(request)}` } };
}

/** `replace` numbers the items from 1, so the ids are known. */
function* plan({ items }: Of<"plan">, request: string, context: WorkContext): Work {
  if (!context.isActive("todo_write")) return skip(missingTool(request, "todo_write"), context);
  const tasks = items.map((item) => ({ content: firstLine(item) }));
  const made = yield todoCall({ op: "replace", phases: [{ name: "Plan", tasks }] });
  if (made.isError) return fail(request, made, context);
  const left: string[] = [];
  for (const [index, item] of items.entries()) {
    const end = yield* workItem(item, context);
    if (end === "failed") return "failed";
    if (end === "skipped") {
      left.push(quote(item));
      continue;
    }
    const marked = yield todoCall({ op: "update", id: `task-${index + 1}`, status: "completed" });
    if (marked.isError) return fail(request, marked, context);
  }
  const done = items.length - left.length;
  const rest = left.length === 0 ? "" : `; left open: ${some(left, 20).join(", ")}`;
  context.say(`${done} of ${count(items.length, "item")} of the plan done${rest}.`);
  return "done";
}

function* workItem(item: string, context: WorkContext): Work {
  const [{ text, intent } = { text: item, intent: { kind: "unknown" as const } }] = parseRequests(item);
  if (!needsTool(intent) || intent.kind === "plan") return "skipped";
  return yield* work({ text, intent }, context);
}

function todoCall(op: Record<string, unknown>): ToolRequest {
  return { name: "todo_write", arguments: { ops: [op] } };
}

function* callTool({ tool, json = "{}" }: Of<"call">, request: string, context: WorkContext): Work {
  const args = parseObject(json);
  if (!args) return skip(`I cannot do ${quote(request)}: the arguments must be a JSON object.`, context);
  return yield* useTool(request, context, tool, args, (result) => reportCall(tool, result));
}

function parseObject(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined; // Shown to the user, who wrote it.
  }
}

function skip(reason: string, { say }: WorkContext): End {
  say(reason);
  return "skipped";
}

function fail(request: string, result: ToolResultMessage, { say }: WorkContext): End {
  say(reportFailure(request, result));
  return "failed";
}
