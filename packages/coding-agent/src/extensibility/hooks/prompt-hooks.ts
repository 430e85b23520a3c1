import { dirname, isAbsolute, resolve } from "node:path";
import type {
  CustomMessageInput,
  InputOutcome,
  InputSource,
  PromptText,
  RunStart,
  SessionHooks,
} from "../../session/session-hooks.ts";
import { requireContent, requireImages } from "../api/content-blocks.ts";
import type { EventAnswer } from "../api/event-types.ts";
import { describeThrown } from "../loading/load-fault.ts";
import { askHandlers, type Callers, callHandler } from "./call-handler.ts";
import type { HandlerOwner } from "./handler-table.ts";

/** What handlers make of a text before it is a prompt. */
export async function transformInput(callers: Callers, prompt: PromptText, source: InputSource): Promise<InputOutcome> {
  let current = prompt;
  let isHandled = false;
  await askHandlers(
    callers,
    "input",
    () => ({ ...current, source }),
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
  if (typeof text !== "string") throw new Error("text must be a text");
  if (images !== undefined) requireImages(images);
  return { text, ...(images && { images }) };
}

/** What handlers add to a run that is about to start. Each sees the system prompt as the one before left it. */
export async function prepareRun(
  callers: Callers,
  start: RunStart,
): Promise<{ messages: CustomMessageInput[]; systemPrompt?: string }> {
  const messages: CustomMessageInput[] = [];
  let { systemPrompt } = start;
  await askHandlers(
    callers,
    "before_agent_start",
    () => ({ ...start, systemPrompt }),
    ({ message, systemPrompt: next }) => {
      if (next !== undefined && typeof next !== "string") throw new Error("systemPrompt must be a text");
      if (message !== undefined) messages.push(toCustomMessage(message));
      systemPrompt = next ?? systemPrompt;
    },
  );
  return { messages, ...(systemPrompt !== start.systemPrompt && { systemPrompt }) };
}

/** Reads a message that an extension wrote. Throws when it could not be shown. */
export function toCustomMessage(message: CustomMessageInput): CustomMessageInput {
  const { customType, content, display, details }: CustomMessageInput = Object(message);
  if (typeof customType !== "string") throw new Error("a message needs a customType");
  requireContent("custom", content);
  return { customType, content, display: display !== false, ...(details !== undefined && { details }) };
}

/** Who runs a command of the user; the first answer counts. */
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

/** Further places of skills and prompt templates. Whose answer it is counts, so each handler is called on its own here. */
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

/** Relative ones start where the extension's file is; one that is in no file has none but the working directory. */
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
