import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Frame, Host } from "../host.ts";
import { atMostFloor, type Row } from "../row.ts";
import { peakMb } from "../usage.ts";

const MESSAGES = 10_000;

export const resume: Row = {
  name: "resume",
  title: "Resume of 10,000 messages",
  rounds: 3,
  metrics: {
    ms: { title: "resume of 10k messages to first answer", unit: "ms", goals: atMostFloor(2, "pintle full") },
    peak: { title: "resume of 10k messages, peak memory", unit: "MB" },
  },
  async measure(subject, { scratch }) {
    const original = join(scratch, "long.jsonl");
    writeFileSync(original, sessionFile(subject.cwd), { flag: "w" });
    const file = join(scratch, `${crypto.randomUUID()}.jsonl`);
    cpSync(original, file);
    const started = performance.now();
    await using host = new Host(subject, subject.resume(file));
    let count = 0;
    const counted = host.until((frame: Frame) => {
      if (frame.command !== "get_state") return false;
      count = frame.data.messageCount;
      return true;
    });
    host.send({ id: "s", type: "get_state" });
    const ms = (await counted) - started;
    if (count < MESSAGES) throw new Error(`it has ${count} of the messages`);
    return { ms, peak: peakMb(host.pid) };
  },
};

/** The format that the whole family reads. */
function sessionFile(cwd: string): string {
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
  const id = (n: number) => n.toString(16).padStart(8, "0");
  const entries = Array.from({ length: MESSAGES }, (_, n) => ({
    type: "message",
    id: id(n),
    parentId: n === 0 ? null : id(n - 1),
    timestamp: new Date(at(n)).toISOString(),
    message: { ...(n % 2 === 0 ? { role: "user" } : answer), content: content(n), timestamp: at(n) },
  }));
  return [header, ...entries].map((line) => `${JSON.stringify(line)}\n`).join("");
}
