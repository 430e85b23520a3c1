import { describe, expect, test } from "bun:test";
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentMessage } from "@pintle/agent";
import { pairingFaults } from "../../../agent/test/support/pairing.ts";
import type { SessionManager } from "../../../storage/src/session-manager.ts";
import { lastAssistantText } from "../../src/session/conversation/last-assistant-text.ts";
import { freshPlace, show, startSession, storeOf } from "../support/session/test-session.ts";

// Files that pi and oh-my-pi wrote, and what those programs report about them; see the README next to the fixtures.

const fixtures = join(import.meta.dir, "../fixtures/foreign-sessions");

/** A program's report about a file. Older programs report less. */
interface Report {
  sessionId: string;
  sessionName: string | null;
  messageCount: number;
  roles: string;
  model: { provider: string; id: string };
  thinkingLevel: string;
  firstUserText: string;
  lastUserText: string;
  lastAssistantText: string;
  leafId: string;
  entryCount: number;
  pathLength: number;
  labels: Record<string, string>;
  parentSession: string | null;
  injectedTtsrRules: string[];
  userMessages: [string | number, string][];
}

interface Fixture {
  folder: string;
  name: string;
  file: string;
  formatVersion: number;
  reported: Partial<Report>;
}

const all: Fixture[] = readdirSync(fixtures)
  .filter((folder) => existsSync(join(fixtures, folder, "expected.json")))
  .flatMap((folder) => {
    const { formatVersion, sessions } = JSON.parse(readFileSync(join(fixtures, folder, "expected.json"), "utf8"));
    return sessions.map((session: Fixture) => ({ ...session, folder, formatVersion }));
  });

const LONG_NAME = `A long name${" that does not fit into the slot".repeat(10)} end`;

/** Where pintle's result differs from that of the program that wrote the file. */
const DIFFERENCES: Record<string, Partial<Report>> = {
  // The program kept everything, and every later version of pi keeps nothing; we read like the later ones.
  "pi-0.13.2/compacted-keeps-all": { roles: "user user assistant toolResult assistant", messageCount: 5 },
  // Without an entry that names it, the model is that of the last answer, not that of the header.
  "pi-0.7.6/main": { model: { provider: "groq", id: "llama-3.1-8b-instant" } },
  "pi-0.13.2/main": { model: { provider: "loop", id: "beta" } },
  // With such an entry, it is the model in the entry, not that of an answer.
  "pi-0.32.3/main": { model: { provider: "loop", id: "alpha" } },
  // The file contains the name twice, truncated only in the slot.
  "omp-17.3.5/compacted": { sessionName: LONG_NAME },
  "omp-18.2.3/compacted": { sessionName: LONG_NAME },
  // The provider has the real summary; the history before the placeholder is what we can use.
  "omp-17.3.5/remote": {
    roles: "compactionSummary assistant user assistant user assistant",
    messageCount: 6,
    firstUserText: "Long question 3 [long]",
  },
  "omp-18.2.3/remote": {
    roles: "user assistant user assistant user assistant user assistant",
    messageCount: 8,
    firstUserText: "Long question 1 [long]",
  },
};

/** The report in pintle's terms. */
function expected({ folder, name, reported }: Fixture, session: SessionManager): Partial<Report> {
  const { roles = "", userMessages, messageCount = 0, ...rest } = reported;
  const hasLevel = session.path().some(({ type }) => type === "thinking_level_change");
  const startsWithSystem = roles.startsWith("system ");
  const said: Partial<Report> = {
    ...rest,
    // A message with the role `system` is that program's own prompt. We have ours.
    roles: roles.replace(/^system /, "").replaceAll("pythonExecution", "bashExecution"),
    messageCount: messageCount - (startsWithSystem ? 1 : 0),
    // The oldest files have no ids, so the reports count lines.
    ...(userMessages && {
      userMessages: userMessages.map(([at, text]) => [
        typeof at === "number" ? (session.entries()[at - 1]?.id ?? "") : at,
        text,
      ]),
    }),
    ...DIFFERENCES[`${folder}/${name}`],
  };
  if (!hasLevel) delete said.thinkingLevel; // the settings say it
  if (said.firstUserText?.includes("<summary>")) delete said.firstUserText; // v1 gave a summary as a message of the user
  return said;
}

/** pintle's report, limited to the fields that the program reported. */
function actual({ folder, formatVersion }: Fixture, session: SessionManager, keys: readonly string[]): Partial<Report> {
  const { messages, model, thinkingLevel, injectedRules } = session.buildContext();
  const seen = messages.filter((message) => !isLeftOutBy(folder, message, messages));
  const users = seen.filter(({ role }) => role === "user");
  const roles = seen.map(({ role }) => (formatVersion === 1 && role === "compactionSummary" ? "user" : role));
  const report: { [K in keyof Report]: Report[K] | undefined } = {
    sessionId: session.sessionId,
    sessionName: session.name ?? null,
    messageCount: seen.length,
    roles: roles.join(" "),
    model: model && { provider: model.provider, id: model.modelId },
    thinkingLevel,
    firstUserText: textOf(users[0]),
    lastUserText: textOf(users.at(-1)),
    lastAssistantText: lastAssistantText(seen),
    leafId: session.leafId ?? undefined,
    entryCount: session.entries().length,
    pathLength: session.path().length,
    labels: Object.fromEntries([...session.labels].map(([id, { label }]) => [id, label])),
    parentSession: session.header.parentSession ?? null,
    injectedTtsrRules: [...injectedRules],
    userMessages: session.userMessages().map(({ entryId, text }) => [entryId, text]),
  };
  return Object.fromEntries(Object.entries(report).filter(([key]) => keys.includes(key))) as Partial<Report>;
}

/**
 * omp omits failed answers from the context, and version 18 also omits calls without a result; we repair them when they
 * are sent.
 */
function isLeftOutBy(folder: string, message: AgentMessage, messages: readonly AgentMessage[]): boolean {
  if (!/^omp-1[78]/.test(folder) || message.role !== "assistant") return false;
  if (message.stopReason === "error" || message.stopReason === "aborted") return true;
  const answered = new Set(messages.flatMap((one) => (one.role === "toolResult" ? [one.toolCallId] : [])));
  return message.content.some((block) => block.type === "toolCall" && !answered.has(block.id));
}

function textOf(message: AgentMessage | undefined): string | undefined {
  if (message?.role !== "user") return undefined;
  if (typeof message.content === "string") return message.content;
  return message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
}

/** A writable copy of all of that program's files. */
function copyOf({ folder, file }: Fixture) {
  const place = freshPlace();
  const home = join(place.cwd, "foreign");
  cpSync(join(fixtures, folder), home, { recursive: true });
  return { place, path: join(home, file) };
}

test("there are sessions of every format", () => {
  expect(all.length).toBeGreaterThanOrEqual(38);
  expect(new Set(all.map(({ formatVersion }) => formatVersion))).toEqual(new Set([1, 2, 3]));
});

describe.each(all)("$folder $name", (fixture) => {
  test("is read as its program reads it", async () => {
    const { place, path } = copyOf(fixture);
    const session = await storeOf(place).open(path, { access: "read" });
    const want = expected(fixture, session);
    const known = Object.keys(actual(fixture, session, Object.keys(want)));
    const comparable = Object.fromEntries(Object.entries(want).filter(([key]) => known.includes(key)));
    expect(known.length).toBeGreaterThanOrEqual(6);
    expect(actual(fixture, session, known)).toEqual(comparable);
    expect(JSON.stringify(session.buildContext().messages)).not.toMatch(/image unavailable|blob:sha256/);
  });

  test("continues with a prompt and keeps every byte", async () => {
    const { place, path } = copyOf(fixture);
    const original = readFileSync(path);
    const { session, requests } = await startSession([[{ text: "answer" }]], {
      place,
      session: { open: path },
      settings: { "compaction.enabled": false },
    });
    const before = session.messages.length;
    expect(readFileSync(path).equals(original)).toBe(true);
    await session.prompt("go on");
    await session.dispose();
    expect(show(session.messages).slice(before)).toEqual([
      "user: go on",
      expect.stringMatching(/^custom: The current date is now [-\d]{10}\.$/), // these are from another day
      "assistant: answer",
    ]);
    expect(pairingFaults(requests[0]?.context.messages ?? [])).toEqual([]);
    const kept =
      fixture.formatVersion === 3 ? readFileSync(path).subarray(0, original.length) : readFileSync(`${path}.bak`);
    expect(kept.equals(original)).toBe(true);
    const again = await storeOf(place).open(path, { access: "read" });
    expect(show(again.buildContext().messages)).toEqual(show(session.messages));
  });
});
