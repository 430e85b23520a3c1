import { rmSync } from "node:fs";
import { join } from "node:path";
import type { AgentMessage } from "@pintle/agent";
import type { AssistantContent, AssistantMessage, ToolResultMessage } from "@pintle/ai";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";
import type { SessionManager } from "../../../../storage/src/session-manager.ts";
import { SessionStore } from "../../../../storage/src/session-store.ts";

export interface Sample {
  directory: string;
  blobDir: string;
  manager: SessionManager;
  /** Advances the clock by this many milliseconds. */
  wait(ms: number): void;
  user(text: string): string;
  answer(content: AssistantContent[], more?: Partial<AssistantMessage>): string;
  result(call: string, tool: string, text: string, more?: Partial<ToolResultMessage>): string;
  add(message: AgentMessage): string;
  remove(): void;
}

export const text = (value: string): AssistantContent => ({ type: "text", text: value });
export const call = (id: string, name: string, args: Record<string, unknown>): AssistantContent => ({
  type: "toolCall",
  id,
  name,
  arguments: args,
});

/** A session on disk whose clock the test controls. */
export function createSample(options: { images?: "blob" | "inline" } = {}): Sample {
  const directory = scratchPath();
  const blobDir = join(directory, "blobs");
  let now = Date.UTC(2026, 4, 12, 9, 30);
  const store = new SessionStore({
    cwd: "/home/ada/weather",
    sessionDir: join(directory, "sessions"),
    blobDir,
    clock: { now: () => now },
    process: { pid: process.pid, host: "test", startedAt: "now" },
    fsync: "never",
    images: options.images ?? "blob",
  });
  const manager = store.create();
  const add = (message: AgentMessage) => manager.appendMessage(message).id;
  return {
    directory,
    blobDir,
    manager,
    wait: (ms) => {
      now += ms;
    },
    add,
    user: (value) => add({ role: "user", content: [{ type: "text", text: value }], timestamp: now }),
    answer: (content, more = {}) =>
      add({
        role: "assistant",
        content,
        api: "anthropic-messages",
        provider: "anthropic",
        model: "claude-sonnet-4-5",
        usage: usage(1200, 380, 18_000, 900),
        stopReason: content.some(({ type }) => type === "toolCall") ? "toolUse" : "stop",
        timestamp: now,
        duration: 2400,
        ...more,
      }),
    result: (toolCallId, toolName, value, more = {}) =>
      add({
        role: "toolResult",
        toolCallId,
        toolName,
        content: [{ type: "text", text: value }],
        isError: false,
        timestamp: now,
        ...more,
      }),
    remove: () => {
      manager.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

export function usage(input: number, output: number, cacheRead = 0, cacheWrite = 0): AssistantMessage["usage"] {
  const cost = {
    input: input * 3e-6,
    output: output * 15e-6,
    cacheRead: cacheRead * 3e-7,
    cacheWrite: cacheWrite * 3.75e-6,
  };
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    totalTokens: input + output + cacheRead + cacheWrite,
    cost: { ...cost, total: cost.input + cost.output + cost.cacheRead + cost.cacheWrite },
  };
}

/** A red square of four pixels. */
export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==";
