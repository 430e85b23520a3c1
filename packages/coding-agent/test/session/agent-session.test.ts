import { describe, expect, spyOn, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { AgentSessionEvent } from "@pintle/wire";
import { microtasks } from "../../../agent/test/support/quiet.ts";
import { makeTool, ok } from "../../../agent/test/support/tools.ts";
import {
  freshPlace,
  show,
  startSession,
  storedMessages,
  storedTexts,
  violations,
} from "../support/session/test-session.ts";

describe("what reaches the file, and when", () => {
  test("the prompt is stored before the first model call", async () => {
    let atCall: string[] = [];
    const { session } = await startSession([
      () => {
        atCall = storedTexts(session.sessionFile as string);
        return [{ text: "answer" }];
      },
    ]);
    expect(existsSync(session.sessionFile as string)).toBe(false);
    await session.prompt("question");
    expect(atCall).toEqual(["user: question"]);
  });

  test("an entry is readable when its message_end is emitted", async () => {
    const { session } = await startSession([[{ call: "a" }, { call: "b" }], [{ text: "done", chunk: 1 }]], {
      agentTools: [makeTool("a"), makeTool("b")],
    });
    let told = 0;
    const missing: AgentSessionEvent[] = [];
    session.subscribe((event) => {
      if (event.type !== "message_end") return;
      told += 1;
      const file = readFileSync(session.sessionFile as string, "utf8");
      if (!file.includes(`${JSON.stringify(event.message)}}\n`)) missing.push(event);
    });
    await session.prompt("question");
    expect({ told, missing }).toEqual({ told: 5, missing: [] });
  });

  test("an aborted prompt that never started leaves no file", async () => {
    const { session, events } = await startSession([]);
    const run = session.prompting.submit({ text: "question" });
    await session.abort();
    expect(await run.started.catch(String)).toContain("Request was aborted");
    expect(await run.finished.catch(String)).toContain("Request was aborted");
    await session.dispose();
    expect({ events, isStored: existsSync(session.sessionFile as string) }).toEqual({ events: [], isStored: false });
  });

  test("a name makes the file, a chosen model does not", async () => {
    const place = freshPlace();
    const { session } = await startSession([], { place });
    await session.models.discoverAndSet("acme", "small");
    expect(existsSync(session.sessionFile as string)).toBe(false);
    session.conversation.rename(" a\tgood \n\n name ");
    expect(session.sessionName).toBe("a good name");
    await session.dispose();
    const again = await startSession([], { place, session: { open: session.sessionFile as string } });
    expect({ name: again.session.sessionName, model: again.session.model.id }).toEqual({
      name: "a good name",
      model: "small",
    });
    expect(() => again.session.conversation.rename(" \n ")).toThrow("Session name cannot be empty");
  });
});

describe("prompts", () => {
  test("a second one is refused while the first is accepted, and queued when it says where", async () => {
    const { session, events } = await startSession([[{ text: "a" }], [{ text: "b" }], [{ text: "c" }]]);
    const first = session.prompting.submit({ text: "one" });
    expect(() => session.prompting.submit({ text: "refused" })).toThrow(
      "Agent is already processing. Use steer() or followUp() to queue messages, or wait for completion.",
    );
    const steered = session.prompting.submit({ text: "steered", streamingBehavior: "steer" });
    const followed = session.prompting.submit({ text: "followed", streamingBehavior: "followUp" });
    await Promise.all([steered.started, followed.started]);
    await Promise.all([first.finished, steered.finished, followed.finished]);
    expect(violations(events)).toEqual([]);
    expect(show(session.messages)).toEqual([
      "user: one",
      "user: steered",
      "assistant: a",
      "user: followed",
      "assistant: b",
    ]);
  });

  test("one can be sent as soon as agent_end is emitted, and its run starts after agent_settled", async () => {
    const { session, events } = await startSession([[{ text: "a" }], [{ text: "b" }]]);
    let second: Promise<unknown> | undefined;
    session.subscribe((event) => {
      if (event.type === "agent_end") second ??= session.prompt("two");
    });
    await session.prompt("one");
    await second;
    expect(violations(events)).toEqual([]);
    expect(show(session.messages)).toEqual(["user: one", "assistant: a", "user: two", "assistant: b"]);
  });

  test("one without a key fails before anything happens, and only in the promises", async () => {
    const { session, events } = await startSession([], { flags: { model: "anthropic/claude-opus-5-5" } });
    const failure = await session.prompt("one").catch((error: Error) => error.message);
    expect(String(failure).split("\n")[0]).toBe("No API key found for anthropic.");
    expect({ events, isStreaming: session.isStreaming }).toEqual({ events: [], isStreaming: false });
  });

  test("an abort at any step before the run starts keeps what waits for the next prompt", async () => {
    for (let step = 0; step < 24; step += 1) {
      const { session, events } = await startSession([[{ text: "answer" }]]);
      session.queue.withNextPrompt({ role: "user", content: "note", timestamp: 1 });
      const run = session.prompting.submit({ text: "one" });
      await microtasks(step);
      await session.abort();
      const failure = await run.finished.catch((error: Error) => error.message);
      await run.started.catch(() => {});
      const wasStarted = failure === undefined;
      expect(violations(events)).toEqual([]);
      expect({ step, waiting: session.queue.count }).toEqual({ step, waiting: wasStarted ? 0 : 1 });
      expect(show(session.messages).slice(0, 2)).toEqual(wasStarted ? ["user: one", "user: note"] : []);
      await session.dispose();
    }
  });
});

describe("listeners", () => {
  test("one that throws stops neither the others, nor the run, nor the file", async () => {
    const complaints = spyOn(console, "error").mockImplementation(() => {});
    try {
      const { session, events } = await startSession([[{ call: "a" }], [{ text: "done" }]], {
        agentTools: [makeTool("a")],
      });
      session.subscribe(() => {
        throw new Error("broken listener");
      });
      const later: AgentSessionEvent[] = [];
      session.subscribe((event) => later.push(event));
      await session.prompt("one");
      await session.changes.newSession();
      expect(later).toEqual(events);
      expect(violations(events)).toEqual([]);
      expect(complaints).toHaveBeenCalledTimes(events.length);
    } finally {
      complaints.mockRestore();
    }
  });

  test("all of them receive everything in one order, including what a listener causes", async () => {
    const { session, events } = await startSession([[{ text: "a" }], [{ text: "b" }]]);
    session.subscribe((event) => {
      if (event.type === "message_start" && event.message.role === "assistant") {
        if (session.messages.length < 2) void session.prompting.followUp({ text: "more" });
        session.conversation.rename(`name ${session.messages.length}`);
      }
    });
    const last: AgentSessionEvent[] = [];
    session.subscribe((event) => last.push(event));
    await session.prompt("one");
    expect(last).toEqual(events);
    const kinds = events.map(({ type }) => type);
    const start = kinds.indexOf("message_start", kinds.indexOf("message_start") + 1);
    expect(kinds.slice(start, start + 3)).toEqual(["message_start", "queue_update", "session_info_changed"]);
  });
});

describe("tool results", () => {
  test("are in the file as they finished and in the conversation as they were called", async () => {
    const slow = Promise.withResolvers<void>();
    const place = freshPlace();
    const { session } = await startSession([[{ call: "slow" }, { call: "fast" }], [{ text: "done" }]], {
      place,
      agentTools: [
        makeTool("slow", async () => {
          await slow.promise;
          return ok("slow result");
        }),
        makeTool("fast", async () => {
          setImmediate(slow.resolve);
          return ok("fast result");
        }),
      ],
    });
    await session.prompt("one");
    const file = session.sessionFile as string;
    expect(storedTexts(file).slice(2, 4)).toEqual(["toolResult: fast result", "toolResult: slow result"]);
    expect(show(session.messages).slice(2, 4)).toEqual(["toolResult: slow result", "toolResult: fast result"]);
    expect(await storedMessages(place, file)).toEqual([...session.messages]);
  });
});

test("hundreds of runs and changes leave no descriptor and no lock behind", async () => {
  const answers = Array.from({ length: 400 }, () => [{ text: "answer" }]);
  const settings = { "session.fsync": "never" };
  const { session, home } = await startSession(answers, { settings });
  const counts = () => ({
    descriptors: readdirSync("/proc/self/fd").length,
    locks: readdirSync(home, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".lock")).length,
  });
  const cycle = async () => {
    await session.prompt("one");
    await session.changes.clone();
    await session.changes.newSession();
    await session.prompt("two");
    await session.changes.switchSession(session.sessionFile as string);
    session.prompting.submit({ text: "three" }).finished.catch(() => {});
    await session.abort();
  };
  await cycle();
  const before = counts();
  for (let n = 0; n < 60; n += 1) await cycle();
  expect(counts()).toEqual(before);
});

describe("the end", () => {
  test("dispose ends the run, stores what there is and releases the lock; it may be called twice", async () => {
    const place = freshPlace();
    const { session, events } = await startSession([[{ text: "par" }, { wait: new Promise(() => {}) }]], { place });
    const run = session.prompting.submit({ text: "one" });
    await run.started;
    await microtasks(50);
    await Promise.all([session.dispose(), session.dispose(), run.finished]);
    expect(violations(events)).toEqual([]);
    const again = await startSession([[{ text: "more" }]], { place, session: { continueRecent: true } });
    await again.session.prompt("two");
    expect(storedTexts(again.session.sessionFile as string)).toEqual([
      "user: one",
      "assistant(aborted): par",
      "user: two",
      "assistant: more",
    ]);
  });

  test("a prompt after dispose is refused", async () => {
    const { session, requests } = await startSession([[{ text: "a" }]]);
    await session.dispose();
    expect(await session.prompt("one").catch((error: Error) => error.message)).toBeString();
    expect({ requests, messages: session.messages }).toEqual({ requests: [], messages: [] });
  });

  test("dispose during a change leaves no session open", async () => {
    const place = freshPlace();
    const other = await startSession([[{ text: "a" }]], { place });
    await other.session.prompt("one");
    await other.session.dispose();
    const { session } = await startSession([], { place });
    const changed = session.changes.switchSession(other.session.sessionFile as string);
    await Promise.all([session.dispose(), changed.catch(() => {})]);
    const again = await startSession([], { place, session: { continueRecent: true } });
    expect(show(again.session.messages)).toEqual(["user: one", "assistant: a"]);
  });
});
