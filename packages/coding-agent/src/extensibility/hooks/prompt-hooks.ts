import { dirname, isAbsolute, resolve } from "node:path";
import type { PromptText } from "../../resources/prompts/prompt-text.ts";
import type {
  CustomMessageInput,
  InputOutcome,
  InputSource,
  RunAdditions,
  RunStart,
  SessionHooks,
} from "../../session/session-hooks.ts";
import { requireContent, requireImages } from "../api/content-blocks.ts";
import type { EventAnswer, EventFields } from "../api/event-types.ts";
import type { ExtensionHost } from "../api/extension-host.ts";
import { describeThrown } from "../loading/load-fault.ts";
import { askHandlers, type Callers, callHandler } from "./call-handler.ts";
import type { HandlerOwner } from "./handler-table.ts";
import { promptChanges } from "./prompt-changes.ts";

/** Lets handlers change or consume input before it becomes a prompt. */
export async function transformInput(callers: Callers, prompt: PromptText, source: InputSource): Promise<InputOutcome> {
  let current = prompt;
  let isHandled = false;
  await askHandlers(
    callers,
    "input",
    () => ({ text: current.text, ...(current.images && { images: current.images }), source }),
    (answer) => {
      isHandled = answer.action === "handled" || (answer.action === undefined && answer.handled === true);
      if (!isHandled) current = transformed(current, answer);
      return isHandled;
    },
  );
  return isHandled ? { kind: "handled" } : { kind: "prompt", prompt: current };
}

function transformed(prompt: PromptText, answer: EventAnswer<"input">): PromptText {
  if (answer.action === "continue" || answer.action === "handled") return prompt;
  const { text = prompt.text, images = prompt.images } = answer;
  if (typeof text !== "string") throw new Error("text must be a string");
  if (images !== undefined) requireImages(images);
  return { text, ...(images && { images }) };
}

/** Returns what handlers add to a run that is about to start. Each handler sees the system prompt as the previous one left it. */
export async function prepareRun(
  callers: Callers,
  start: RunStart,
  host: Pick<ExtensionHost, "activeTools" | "setActiveTools">,
): Promise<RunAdditions> {
  const messages: CustomMessageInput[] = [];
  const { systemPrompt: built, systemPromptOptions: options } = start;
  const before = structuredClone(options);
  let answered: string | undefined;
  const current = () => {
    const { forced, appended } = promptChanges(options, before);
    return answered ?? forced ?? (appended === undefined ? built : `${built}\n\n${appended}`);
  };
  await askHandlers(
    callers,
    "before_agent_start",
    () => ({ ...start, systemPrompt: current() }),
    ({ message, systemPrompt: next }) => {
      if (next !== undefined && typeof next !== "string") throw new Error("systemPrompt must be a string");
      if (message !== undefined) messages.push(toCustomMessage(message));
      answered = next ?? answered;
    },
  );
  const { forced, appended, addedTools, removedTools } = promptChanges(options, before);
  if (addedTools.length + removedTools.length > 0)
    host.setActiveTools([...host.activeTools().filter((name) => !removedTools.includes(name)), ...addedTools]);
  const systemPrompt = answered ?? forced;
  return {
    messages,
    ...(systemPrompt !== undefined && systemPrompt !== built && { systemPrompt }),
    ...(systemPrompt === undefined && appended !== undefined && { promptSuffix: appended }),
  };
}

/** Reads a message from an extension. Throws if it could not be shown. */
export function toCustomMessage(message: CustomMessageInput): CustomMessageInput {
  const { customType, content, display, details }: CustomMessageInput = Object(message);
  if (typeof customType !== "string") throw new Error("a message needs a customType");
  requireContent("custom", content);
  return { customType, content, display: display !== false, ...(details !== undefined && { details }) };
}

/** Returns what handlers add at the end of a run; messages request another model call. */
export async function askBeforeSettle(
  callers: Callers,
  outcome: EventFields<"agent_before_settle">["outcome"],
  host: Pick<ExtensionHost, "appendEntry" | "sendCustomMessage">,
): Promise<CustomMessageInput[]> {
  const entries: EventFields<"agent_before_settle">["entries"] = [];
  let continues = false;
  await askHandlers(
    callers,
    "agent_before_settle",
    () => ({ entries: [...entries], continue: continues, outcome }),
    ({ entries: added, continue: next }) => {
      const checked = (added ?? []).map(settleEntry);
      if (next === true && ![...entries, ...checked].some(({ type }) => type === "custom_message"))
        throw new Error("continue needs an entry of the type custom_message: the model answers that");
      entries.push(...checked);
      continues = next ?? continues;
    },
  );
  const messages: CustomMessageInput[] = [];
  for (const entry of entries) {
    if (entry.type === "custom") host.appendEntry(entry.customType, entry.data);
    else messages.push(toCustomMessage(entry));
  }
  if (continues) return messages;
  for (const message of messages) await host.sendCustomMessage(message, { deliverAs: "nextTurn" });
  return [];
}

type SettleEntry = EventFields<"agent_before_settle">["entries"][number];

function settleEntry(entry: SettleEntry): SettleEntry {
  if (entry?.type === "custom" && typeof entry.customType === "string") return entry;
  if (entry?.type === "custom_message") return { type: "custom_message", ...toCustomMessage(entry) };
  throw new Error("entries of agent_before_settle are of the type custom or custom_message");
}

/** Selects who runs a user's command; the first answer wins. */
export async function askUserBash(
  callers: Callers,
  command: Parameters<SessionHooks["userBash"]>[0],
): ReturnType<SessionHooks["userBash"]> {
  let chosen: Awaited<ReturnType<SessionHooks["userBash"]>>;
  await askHandlers(
    callers,
    "user_bash",
    () => command,
    ({ result, operations }) => {
      if (result) chosen = { result };
      else if (typeof operations?.exec === "function") chosen = { operations };
      return chosen !== undefined;
    },
  );
  return chosen;
}

const MAX_PATHS = 200;

/**
 * Asks for additional locations of skills and prompt templates. Each answer belongs to its extension, so handlers are called one
 * by one.
 */
export async function askResources(
  { handlers, limits, report, replaced }: Callers,
  event: { cwd: string; reason: "startup" | "reload" },
): Promise<{ skillPaths: string[]; promptPaths: string[] }> {
  const found: Record<"skillPaths" | "promptPaths", string[]> = { skillPaths: [], promptPaths: [] };
  await replaced();
  for (const subscriber of handlers.of("resources_discover")) {
    const { instance } = subscriber;
    try {
      const answer = await callHandler(subscriber, { type: "resources_discover", ...event }, limits.usualMs);
      const skillPaths = readPaths("skillPaths", answer, instance);
      const promptPaths = readPaths("promptPaths", answer, instance);
      found.skillPaths.push(...skillPaths);
      found.promptPaths.push(...promptPaths);
    } catch (error) {
      report({ path: instance.path, event: "resources_discover", error: describeThrown(error) });
    }
  }
  return found;
}

/** Reads paths. Relative paths start at the extension's file; an inline extension uses the working directory. */
function readPaths(kind: "skillPaths" | "promptPaths", answer: unknown, { source }: HandlerOwner): string[] {
  const paths: unknown = Object(answer)[kind] ?? [];
  if (!Array.isArray(paths) || !paths.every((path) => typeof path === "string"))
    throw new TypeError(`${kind} must be a list of paths`);
  if (paths.length > MAX_PATHS) throw new RangeError(`${kind} has more than ${MAX_PATHS} paths`);
  const isRelative = (path: string) => !isAbsolute(path) && !/^~(\/|$)/.test(path);
  return paths.map((path) =>
    source.scope !== "inline" && isRelative(path) ? resolve(dirname(source.realPath), path) : path,
  );
}
