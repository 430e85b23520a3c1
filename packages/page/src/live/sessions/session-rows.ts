import type { ServedSession } from "@pintle/client/core";

/** Returns the title of a session in the list: its name, or its first message. */
export function sessionTitle({ name, firstMessage }: Pick<ServedSession, "name" | "firstMessage">): string {
  const line = (firstMessage ?? "").trim().split("\n", 1)[0]?.trim();
  return name?.trim() || line || "New session";
}

export const STATUSES: Readonly<Record<ServedSession["status"], { sign: string; text: string }>> = {
  running: { sign: "●", text: "running" },
  waiting: { sign: "?", text: "waits for you" },
  idle: { sign: "○", text: "open" },
  stored: { sign: "", text: "stored" },
};

const MINUTE = 60_000;
const UNITS: readonly [ms: number, most: number, one: string, many: string][] = [
  [MINUTE, 60, "min", "min"],
  [60 * MINUTE, 24, "h", "h"],
  [24 * 60 * MINUTE, 7, "day", "days"],
];

/** `now`, `5 min`, `3 h`, `2 days`, or the date. */
export function ago(at: string, now: number): string {
  const time = Date.parse(at);
  if (Number.isNaN(time)) return "";
  const passed = Math.max(0, now - time);
  if (passed < MINUTE) return "now";
  for (const [ms, most, one, many] of UNITS) {
    const count = Math.floor(passed / ms);
    if (count < most) return `${count} ${count === 1 ? one : many}`;
  }
  return new Date(time).toISOString().slice(0, 10);
}

/** Returns a directory relative to its root, or the name of the root. */
export function shortDirectory(cwd: string, roots: readonly string[]): string {
  const root = roots.find((one) => cwd === one || cwd.startsWith(one.endsWith("/") ? one : `${one}/`));
  if (root === undefined) return cwd;
  return cwd === root
    ? (root.split("/").findLast((part) => part !== "") ?? root)
    : cwd.slice(root.length).replace(/^\//, "");
}

/** Returns the name of a session's directory and the branch in it. */
export function placeName({ cwd, gitBranch }: Pick<ServedSession, "cwd" | "gitBranch">): string {
  const name = cwd.split("/").findLast((part) => part !== "") ?? cwd;
  return gitBranch === undefined ? name : `${name} · ${gitBranch}`;
}

/** Returns the directories to offer for a new session: the roots, then those that have sessions, the newest first. */
export function knownDirectories(roots: readonly string[], sessions: readonly Pick<ServedSession, "cwd">[]): string[] {
  return [...new Set([...roots, ...sessions.map(({ cwd }) => cwd)])];
}
