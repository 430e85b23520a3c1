import { describe, expect, test } from "bun:test";
import { makeTool } from "../../../../agent/test/support/tools.ts";
import type { AgentSession } from "../../../src/session/agent-session.ts";
import {
  endlessTool,
  forever,
  freshPlace,
  nextEvent,
  type Place,
  show,
  startSession,
  storedMessages,
  storedTexts,
  violations,
} from "../../support/session/test-session.ts";

/** A stored session to switch to. */
async function otherSession(place: Place): Promise<string> {
  const { session } = await startSession([[{ text: "old answer" }]], { place });
  await session.prompt("old question");
  await session.dispose();
  return session.sessionFile as string;
}

interface Change {
  name: string;
  run(session: AgentSession, other: string): Promise<unknown>;
  /** The content of the new session, given the end of the old one. */
  after(before: string[]): string[];
}

const CHANGES: Change[] = [
  { name: "newSession", run: (session) => session.changes.newSession(), after: () => [] },
  {
    name: "switchSession",
    run: (session, other) => session.changes.switchSession(other),
    after: () => ["user: old question", "assistant: old answer"],
  },
  {
    name: "branch",
    run: (session) => session.changes.branch(session.manager.userMessages()[0]?.entryId ?? ""),
    after: () => [],
  },
  { name: "clone", run: (session) => session.changes.clone(), after: (before) => before },
];

const FIRST = ["user: one", "assistant: first"];

interface Phase {
  name: string;
  /** What the ended run leaves in the old file. */
  left: string[];
}

const PHASES: Phase[] = [
  { name: "streams", left: ["user: two", "assistant(aborted): par"] },
  { name: "runs a tool", left: ["user: two", "assistant: <slow>", "toolResult(error): stopped"] },
];

/** A session that has answered once and is in the middle of its second answer. */
async function busySession(phase: string, place: Place) {
  const slow = endlessTool("slow");
  const second = phase === "streams" ? [{ text: "par" }, { wait: forever }, { text: "tial" }] : [{ call: "slow" }];
  const test = await startSession([[{ text: "first" }], second, [{ text: "third" }]], {
    place,
    agentTools: [slow.tool],
  });
  await test.session.prompt("one");
  const reached = phase === "streams" ? nextEvent(test.session, "message_update") : slow.running;
  const run = test.session.prompting.submit({ text: "two" });
  await reached;
  return { ...test, run };
}

describe.each(CHANGES)("$name", ({ run: change, after }) => {
  test.each(PHASES)("ends a run that $name, visibly and in the old file, and goes on", async ({ name, left }) => {
    const place = freshPlace();
    const other = await otherSession(place);
    const { session, events, run, requests } = await busySession(name, place);
    const oldFile = session.sessionFile as string;
    await session.prompting.steer({ text: "steered" });
    await session.prompting.followUp({ text: "followed" });
    session.queue.withNextPrompt({ role: "user", content: "noted", timestamp: 1 });

    await change(session, other);
    await run.finished;
    const kinds = events.map(({ type }) => type);
    expect(violations(events)).toEqual([]);
    expect(kinds.slice(kinds.lastIndexOf("agent_end"))).toEqual([
      "agent_end",
      "agent_settled",
      "queue_update",
      "session_info_changed",
    ]);
    expect(events.findLast(({ type }) => type === "agent_end")).toMatchObject({ stopReason: "aborted" });
    expect(events.findLast(({ type }) => type === "queue_update")).toEqual({
      type: "queue_update",
      steering: [],
      followUp: [],
      steeringIds: [],
      followUpIds: [],
    });
    expect(storedTexts(oldFile)).toEqual([...FIRST, ...left]);
    expect(session.sessionFile).not.toBe(oldFile);
    expect(session.queue.count).toBe(0);
    expect(show(session.messages)).toEqual(after([...FIRST, ...left]));
    expect(session.isStreaming).toBe(false);

    await session.prompt("three");
    const conversation = [...after([...FIRST, ...left]), "user: three", "assistant: third"];
    expect(show(session.messages)).toEqual(conversation);
    expect(show(await storedMessages(place, session.sessionFile as string))).toEqual(conversation);
    expect(storedTexts(oldFile)).toEqual([...FIRST, ...left]);
    expect(requests).toHaveLength(3);
    expect(violations(events)).toEqual([]);
  });

  test("drops a prompt that was accepted just before, without an event", async () => {
    const place = freshPlace();
    const other = await otherSession(place);
    const { session, events } = await startSession([[{ text: "first" }], [{ text: "third" }]], { place });
    await session.prompt("one");
    const oldFile = session.sessionFile as string;
    events.length = 0;

    const run = session.prompting.submit({ text: "two" });
    const changed = change(session, other);
    expect(await run.started.catch(String)).toContain("Request was aborted");
    expect(await run.finished.catch(String)).toContain("Request was aborted");
    await changed;
    expect(events.map(({ type }) => type)).toEqual(["session_info_changed"]);
    expect(storedTexts(oldFile)).toEqual(FIRST);
    await session.prompt("three");
    expect(show(session.messages)).toEqual([...after(FIRST), "user: three", "assistant: third"]);
  });

  test("lets a prompt that comes while it is under way wait, and runs it in the new session", async () => {
    const place = freshPlace();
    const other = await otherSession(place);
    const { session, events } = await startSession([[{ text: "first" }], [{ text: "third" }]], { place });
    await session.prompt("one");
    const oldFile = session.sessionFile as string;

    const changed = change(session, other);
    await session.prompt("three");
    await changed;
    expect(storedTexts(oldFile)).toEqual(FIRST);
    expect(show(session.messages)).toEqual([...after(FIRST), "user: three", "assistant: third"]);
    expect(violations(events)).toEqual([]);
  });

  test("is not stopped by an abort, which ends the waiting prompt", async () => {
    const place = freshPlace();
    const other = await otherSession(place);
    const { session } = await startSession([[{ text: "first" }]], { place });
    await session.prompt("one");
    const oldFile = session.sessionFile;

    const changed = change(session, other);
    const run = session.prompting.submit({ text: "two" });
    const aborted = session.abort();
    expect(await run.finished.catch(String)).toContain("Request was aborted");
    await Promise.all([aborted, changed, run.started.catch(() => {})]);
    expect(session.sessionFile).not.toBe(oldFile);
    expect(show(session.messages)).toEqual(after(FIRST));
  });
});

test("an abort and a change at once end the run once", async () => {
  const { session, events, run } = await busySession("streams", freshPlace());
  await Promise.all([session.abort(), session.changes.newSession(), session.abort(), run.finished]);
  expect(violations(events)).toEqual([]);
  expect(events.filter(({ type }) => type === "agent_end")).toHaveLength(2);
  expect(show(session.messages)).toEqual([]);
});

test("two changes at once happen one after the other", async () => {
  const place = freshPlace();
  const other = await otherSession(place);
  const { session, events, run } = await busySession("streams", place);
  const [, , text] = await Promise.all([
    session.changes.switchSession(other),
    session.changes.clone(),
    session.changes.newSession().then(() => session.sessionFile),
    run.finished,
  ]);
  expect(violations(events)).toEqual([]);
  const opened = events.flatMap((event) => (event.type === "session_info_changed" ? [event.sessionFile] : []));
  expect(opened).toEqual([other, expect.any(String), text as string]);
  expect(show(await storedMessages(place, opened[1] as string))).toEqual([
    "user: old question",
    "assistant: old answer",
  ]);
  expect(show(session.messages)).toEqual([]);
});

test.each([
  ["a missing file", "missing.jsonl", undefined, "Session file not found: "],
  ["a file without a header", "bad.jsonl", "hello\n", "header is missing or malformed"],
  ["a directory", ".", undefined, "it is not a file"],
])("a switch to %s fails and lets the run go on", async (_what, name, content, message) => {
  const place = freshPlace();
  const release = Promise.withResolvers<void>();
  const { session, events } = await startSession([[{ text: "a" }, { wait: release.promise }, { text: "b" }]], {
    place,
  });
  const { sessionFile } = session;
  const path = `${place.cwd}/${name}`;
  if (content !== undefined) await Bun.write(path, content);
  const reached = nextEvent(session, "message_update");
  const run = session.prompting.submit({ text: "one" });
  await reached;
  await session.prompting.followUp({ text: "and then" });

  expect(await session.changes.switchSession(path).catch(String)).toContain(message);
  expect(session.isStreaming).toBe(true);
  expect(session.queue.count).toBe(1);
  session.queue.clear("steering", "followUp");
  release.resolve();
  await run.finished;
  expect({ file: session.sessionFile, messages: show(session.messages) }).toEqual({
    file: sessionFile,
    messages: ["user: one", "assistant: ab"],
  });
  expect(storedTexts(sessionFile as string)).toEqual(["user: one", "assistant: ab"]);
  expect(violations(events)).toEqual([]);
  if (content !== undefined) expect(await Bun.file(path).text()).toBe(content);
});

test("a branch from an entry that is no message of the user fails and lets the run go on", async () => {
  const { session, run } = await busySession("streams", freshPlace());
  const answer = session.manager.entries().find((entry) => JSON.stringify(entry).includes("first"));
  for (const id of ["nonsense", answer?.id ?? ""]) {
    expect(await session.changes.branch(id).catch(String)).toContain("Invalid entry ID for branching");
  }
  expect(session.isStreaming).toBe(true);
  await session.abort();
  await run.finished;
});

test.each([
  ["its path", (path: string) => path],
  ["a relative path", (path: string, cwd: string) => path.replace(`${cwd}/`, "")],
  ["a path with detours", (path: string) => path.replace(/\/([^/]+)$/, "/../sessions-here/$1")],
])("switching to the open session by %s ends the run, drops the queue and stays", async (_how, naming) => {
  const place = freshPlace();
  const options = { place, sessionDir: `${place.cwd}/s` };
  const { session, events } = await startSession([[{ text: "par" }, { wait: forever }], [{ text: "more" }]], options);
  const reached = nextEvent(session, "message_update");
  const run = session.prompting.submit({ text: "one" });
  await reached;
  const file = session.sessionFile as string;
  await session.prompting.followUp({ text: "later" });

  await session.changes.switchSession(
    naming(file, place.cwd).replace("sessions-here", file.split("/").at(-2) as string),
  );
  await run.finished;
  expect({ file: session.sessionFile, queued: session.queue.count }).toEqual({ file, queued: 0 });
  await session.prompt("two");
  expect(storedTexts(file)).toEqual(["user: one", "assistant(aborted): par", "user: two", "assistant: more"]);
  expect(violations(events)).toEqual([]);
});

test("switching to the open session before it has a file changes nothing", async () => {
  const { session } = await startSession([[{ text: "answer" }]]);
  const { sessionFile, sessionId } = session;
  await session.changes.switchSession(sessionFile as string);
  await session.prompt("one");
  expect({ file: session.sessionFile, id: session.sessionId }).toEqual({ file: sessionFile, id: sessionId });
  expect(storedTexts(sessionFile as string)).toEqual(["user: one", "assistant: answer"]);
});

test("a change made by a listener in the middle of a run ends that run first", async () => {
  const { session, events } = await startSession([[{ call: "quick" }], [{ text: "never" }]], {
    agentTools: [makeTool("quick")],
  });
  let changed: Promise<boolean> | undefined;
  session.subscribe((event) => {
    if (event.type === "tool_execution_end") changed ??= session.changes.newSession();
  });
  await session.prompt("one");
  const oldMessages = ["user: one", "assistant: <quick>", "toolResult: quick done"];
  const oldFile = events.length > 0 ? session.manager.header.id : "";
  await changed;
  expect(violations(events)).toEqual([]);
  expect(events.find(({ type }) => type === "agent_end")).toMatchObject({ stopReason: "aborted" });
  expect(session.sessionId).not.toBe(oldFile);
  expect(show(events.flatMap((event) => (event.type === "message_end" ? [event.message] : [])))).toEqual(oldMessages);
});
