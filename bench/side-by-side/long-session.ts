import { writeFileSync } from "node:fs";

export const MESSAGES = 10_000;
export const LAST_QUESTION = entryId(MESSAGES - 2);

function entryId(n: number): string {
  return n.toString(16).padStart(8, "0");
}

/** Writes a session in the format that the whole family reads. */
export function writeLongSession(path: string, cwd: string): void {
  const at = (n: number) => 1_760_000_000_000 + n * 1000;
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 10, output: 10, cacheRead: 0, cacheWrite: 0, totalTokens: 20, cost };
  const answer = {
    role: "assistant",
    api: "openai-completions",
    provider: "local",
    model: "m",
    usage,
    stopReason: "stop",
  };
  const content = (n: number) => [{ type: "text", text: `message ${n}: ${"some words ".repeat(20)}` }];
  const header = {
    type: "session",
    version: 3,
    id: crypto.randomUUID(),
    timestamp: new Date(at(0)).toISOString(),
    cwd,
  };
  const entries = Array.from({ length: MESSAGES }, (_, n) => ({
    type: "message",
    id: entryId(n),
    parentId: n === 0 ? null : entryId(n - 1),
    timestamp: new Date(at(n)).toISOString(),
    message: { ...(n % 2 === 0 ? { role: "user" } : answer), content: content(n), timestamp: at(n) },
  }));
  writeFileSync(path, [header, ...entries].map((line) => `${JSON.stringify(line)}\n`).join(""));
}
