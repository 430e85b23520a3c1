import { askHandlers, type Callers } from "./call-handler.ts";
import type { EventAnswer } from "./event-types.ts";
import type {
  CustomMessageInput,
  InputOutcome,
  InputSource,
  PromptText,
  RunStart,
  SessionHooks,
} from "./session-hooks.ts";

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
  return { text, ...(Array.isArray(images) && { images }) };
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

/** Reads a message that an extension wrote. Throws when nobody could show it. */
export function toCustomMessage({ customType, content, display, details }: CustomMessageInput): CustomMessageInput {
  if (typeof customType !== "string") throw new Error("a message needs a customType");
  if (typeof content !== "string" && !Array.isArray(content)) throw new Error("a message needs content");
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

/** Further places of skills and prompt templates. */
export async function askResources(
  callers: Callers,
  event: { cwd: string; reason: "startup" | "reload" },
): Promise<{ skillPaths: string[]; promptPaths: string[] }> {
  const found = { skillPaths: [] as string[], promptPaths: [] as string[] };
  await askHandlers(
    callers,
    "resources_discover",
    () => event,
    ({ skillPaths = [], promptPaths = [] }) => {
      found.skillPaths.push(...skillPaths.map(String));
      found.promptPaths.push(...promptPaths.map(String));
    },
  );
  return found;
}
