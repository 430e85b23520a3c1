import type { ToolResultMessage } from "../messages.ts";
import type { ModelContext, ToolChoice } from "../protocols/protocol.ts";
import { help, IMAGE_ANSWER, NOTHING_LEFT } from "./offline-answers.ts";
import { type RecordedCall, type UserTurn, userTurns } from "./offline-conversation.ts";
import { reportCall, reportFailure, reportOutcome } from "./offline-reports.ts";
import { needsTool, parseRequests, type UserRequest } from "./offline-requests.ts";
import { quote } from "./offline-wording.ts";
import { resolveCall, type ToolRequest, work, workThrough } from "./offline-work.ts";

export interface Decision {
  texts: string[];
  call?: ToolRequest;
}

/**
 * Decides the next step. Nothing is stored between answers: each time, the work starts over and receives the results
 * that the conversation contains, which brings it back to where it was.
 */
export function decide({ messages, tools = [] }: ModelContext, choice: ToolChoice = "auto"): Decision {
  const active = new Set(tools.map(({ name }) => name));
  const forced = typeof choice === "object" && active.has(choice.name) ? choice.name : undefined;
  const turns = userTurns(messages);
  const { text, jobReport } = turns.at(-1) ?? {};
  if (text === "" && jobReport !== undefined) return { texts: [jobReport] };
  const task = currentTask(turns, forced, active);
  const progress = replay(task, active);
  if (forced !== undefined) return honour(forced, task, progress, active);
  const { texts, wanted } = progress;
  if (choice === "none" && wanted) {
    return { texts: [...texts, `I would need the tool ${quote(wanted.name)}, but may not call one now.`] };
  }
  if (wanted) return { texts, call: wanted };
  const anyTool = active.has("ls") ? "ls" : tools[0]?.name;
  if (choice === "required" && anyTool !== undefined) return { texts: [], call: { name: anyTool, arguments: {} } };
  return { texts: task.isAnswered ? [...texts, NOTHING_LEFT] : texts };
}

/** The user's current request, and what was done for it. */
interface Task extends Pick<UserTurn, "text" | "hasImage" | "calls" | "isAnswered"> {
  requests: UserRequest[];
  /** Written while tools were running. */
  asides: string[];
}

/**
 * Uses the newest user message, unless it arrived while tools were running and is not understood. Then it is a remark
 * or an inserted note, and the work continues.
 */
function currentTask(turns: readonly UserTurn[], forced: string | undefined, active: ReadonlySet<string>): Task {
  let task: Task = { text: "", requests: [], hasImage: false, asides: [], calls: [], isAnswered: false };
  for (const turn of turns) {
    const requests = parseRequests(turn.text);
    if (turn.isMeanwhile && isAside(turn, requests, task, active)) {
      const { calls, isAnswered } = turn;
      task = { ...task, asides: [...task.asides, turn.text], calls: [...task.calls, ...calls], isAnswered };
    } else {
      task = { ...turn, requests, asides: [] };
    }
  }
  return beginsWithPlan(task, forced) ? { ...task, requests: [asPlan(task)] } : task;
}

function isAside(
  { text, hasImage }: UserTurn,
  requests: readonly UserRequest[],
  task: Task,
  active: ReadonlySet<string>,
) {
  if (text === "" && !hasImage) return true;
  const isUnderstood = requests.some(({ intent }) => intent.kind !== "unknown");
  return !isUnderstood && !replay(task, active).hasFailed; // After a failure, nothing was left to continue with.
}

/** The todo list had to be written first; the requests are its items. */
function beginsWithPlan({ requests, calls }: Task, forced: string | undefined): boolean {
  const first = calls.length > 0 ? calls[0]?.call.name : forced;
  return first === "todo_write" && requests.length > 0 && firstCall(requests.slice(0, 1), first) === undefined;
}

function asPlan({ text, requests }: Task): UserRequest {
  return { text, intent: { kind: "plan", items: requests.map((request) => request.text) } };
}

/** With tool search, MCP tools are too many to be declared but can still be called. */
function isCallable(tool: string, active: ReadonlySet<string>): boolean {
  return active.has(tool) || (tool.startsWith("mcp__") && active.has("search_late_tools"));
}

interface Progress {
  /** Not reported yet. */
  texts: string[];
  /** The next call. */
  wanted?: ToolRequest;
  hasFailed: boolean;
}

function replay({ requests, hasImage, calls }: Task, active: ReadonlySet<string>): Progress {
  let texts: string[] = hasImage ? [IMAGE_ANSWER] : [];
  const say = (text: string) => texts.push(text);
  const program = workThrough(requests, { isActive: (tool) => isCallable(tool, active), say });
  let at = 0;
  let step = program.next();
  while (!step.done) {
    const { name } = step.value;
    const found = calls.findIndex(({ call }, index) => index >= at && call.name === name);
    if (found < 0) break;
    texts = []; // Already said together with that call.
    at = found + 1;
    step = program.next((calls[found] as RecordedCall).result);
  }
  for (const { call, result } of calls.slice(at)) say(reportOther(call.name, result));
  if (!step.done) return { texts, wanted: step.value, hasFailed: false };
  const hasFailed = step.value === "failed";
  const isUnderstood = requests.length > 0 && requests.every(({ intent }) => needsTool(intent));
  const isOnlyImage = hasImage && requests.length === 0;
  if (!isUnderstood && !hasFailed && !isOnlyImage) say(help());
  return { texts, hasFailed };
}

/** A call that no request asked for was forced. */
function reportOther(name: string, result: ToolResultMessage): string {
  if (result.isError) return reportFailure(name, result);
  return name === "resolve" ? reportOutcome(result) : reportCall(name, result);
}

/** Decides when a tool is forced. Holds the text back, unless the next step is that call anyway. */
function honour(forced: string, task: Task, { texts, wanted }: Progress, active: ReadonlySet<string>): Decision {
  if (forced === "resolve" && task.asides.some(asksToDiscard))
    return { texts: [], call: resolveCall("discard", task.text) };
  if (wanted?.name === forced) return { texts, call: wanted };
  if (forced === "resolve") {
    const action = /\bpreview only\b/i.test(task.text) || asksToDiscard(task.text) ? "discard" : "apply";
    return { texts: [], call: resolveCall(action, task.text) };
  }
  return { texts: [], call: firstCall(task.requests, forced, active) ?? { name: forced, arguments: {} } };
}

/** Matches `discard it` on a line of its own. */
function asksToDiscard(text: string): boolean {
  return /^\s*(?:please\s+)?discard\b.{0,40}$/im.test(text);
}

/** Returns the first call that a request would make, if it uses this tool. */
function firstCall(
  requests: readonly UserRequest[],
  tool: string,
  active?: ReadonlySet<string>,
): ToolRequest | undefined {
  const context = { isActive: (name: string) => !active || isCallable(name, active), say: () => {} };
  for (const { text, intent } of requests) {
    const step = needsTool(intent) ? work({ text, intent }, context).next() : undefined;
    if (step && !step.done && step.value.name === tool) return step.value;
  }
  return undefined;
}
