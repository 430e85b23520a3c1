import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { type AgentMessage, createSystemClock, type Tool } from "@pintle/agent";
import { type ScriptedAnswer, type ScriptedModel, scriptedModel } from "@pintle/ai/testing";
import type { AgentSessionEvent } from "@pintle/wire";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";
import { grammarViolations } from "../../../../agent/src/testing/event-grammar.ts";
import { makeTool } from "../../../../agent/test/support/tools.ts";
import { SessionStore } from "../../../../storage/src/session-store.ts";
import { createAgentSession } from "../../../src/sdk/create-session.ts";
import type { CreateAgentSessionOptions } from "../../../src/sdk/options.ts";
import type { AgentSession } from "../../../src/session/agent-session.ts";

const root = scratchPath();

/** A home with two usable models and one without a key, and a working directory. */
export interface Place {
  home: string;
  cwd: string;
}

/** A small window is easily filled; tools and a system prompt need a large one. */
export function freshPlace({ contextWindow = 1000 } = {}): Place {
  const base = scratchPath(root);
  const place = { home: join(base, "home"), cwd: join(base, "project") };
  for (const directory of Object.values(place)) mkdirSync(directory);
  const server = { baseUrl: "http://127.0.0.1:1", api: "openai-completions" };
  const model = (id: string) => ({ id, contextWindow, cost: { input: 1_000_000, output: 2_000_000 } });
  const providers = { acme: { ...server, apiKey: "key", models: [model("large"), model("small")] } };
  writeFileSync(join(place.home, "models.json"), JSON.stringify({ providers }), { mode: 0o600 });
  return place;
}

export interface TestSession extends Place {
  session: AgentSession;
  events: AgentSessionEvent[];
  requests: ScriptedModel["requests"];
  /** Why the model differs from the session's. */
  modelFallbackMessage?: string;
}

type Options = Omit<CreateAgentSessionOptions, "env" | "stream"> & { place?: Place };

/** A session whose model answers from the list. */
export async function startSession(
  answers: readonly ScriptedAnswer[],
  { place = freshPlace(), ...options }: Options = {},
): Promise<TestSession> {
  const { stream, requests } = scriptedModel(answers);
  const env = { PINTLE_HOME: place.home };
  const { session, ...rest } = await createAgentSession({ cwd: place.cwd, env, stream, ...options });
  const events: AgentSessionEvent[] = [];
  session.subscribe((event) => events.push(event));
  return { ...place, ...rest, session, events, requests };
}

/** Reads the directory as another process would, without disturbing the writer. */
export function storeOf({ home, cwd }: Place): SessionStore {
  return new SessionStore({
    cwd,
    sessionDir: join(home, "sessions"),
    blobDir: join(home, "blobs"),
    clock: createSystemClock(),
    process: { pid: process.pid, host: hostname(), startedAt: "another" },
  });
}

/** The conversation as stored in a file. */
export async function storedMessages(place: Place, path: string): Promise<readonly AgentMessage[]> {
  return (await storeOf(place).open(path, { access: "read" })).buildContext().messages;
}

/** Summarizes the conversation as `role(properties): text`. */
export function show(messages: readonly AgentMessage[]): string[] {
  return messages.map((message) => {
    const isSpecial = message.role === "assistant" && !["stop", "toolUse"].includes(message.stopReason);
    const mark = isSpecial
      ? `(${message.stopReason})`
      : message.role === "toolResult" && message.isError
        ? "(error)"
        : "";
    return `${message.role}${mark}: ${textOf(message)}`;
  });
}

function textOf(message: AgentMessage): string {
  if (!("content" in message)) return "";
  if (typeof message.content === "string") return message.content;
  return message.content
    .map((block) => (block.type === "text" ? block.text : block.type === "toolCall" ? `<${block.name}>` : block.type))
    .join("");
}

export function violations(events: readonly AgentSessionEvent[]): string[] {
  return grammarViolations(events, { expectSettled: true });
}

/** Returns the message entries of a file, read without the session store. */
export function storedTexts(path: string): string[] {
  const records = readFileSync(path, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return show(records.flatMap((record) => (record.type === "message" ? [record.message] : [])));
}

/** A promise and the function that resolves it, for stopping at a known place. */
export class Moment {
  readonly #reached = Promise.withResolvers<void>();
  readonly come = this.#reached.promise;

  readonly mark = (): void => this.#reached.resolve();
}

/** Never resolves; a step that waits for it ends only by an abort. */
export const forever = new Promise<never>(() => {});

/** A tool that reports when it runs and then waits to be aborted. */
export function endlessTool(name: string): { tool: Tool; running: Promise<void> } {
  const running = new Moment();
  const tool = makeTool(name, (_args, { signal }) => {
    running.mark();
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));
  });
  return { tool, running: running.come };
}

/** Resolves at the first event of that kind from now on. */
export function nextEvent(session: AgentSession, type: AgentSessionEvent["type"]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const unsubscribe = session.subscribe((event) => {
    if (event.type !== type) return;
    unsubscribe();
    resolve();
  });
  return promise;
}
