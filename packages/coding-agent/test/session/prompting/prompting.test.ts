import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { AgentSession } from "../../../src/session/agent-session.ts";
import { NO_HOOKS } from "../../../src/session/attached-hooks.ts";
import type { SessionHooks } from "../../../src/session/session-hooks.ts";
import {
  freshPlace,
  Moment,
  nextEvent,
  type Place,
  show,
  startSession,
  violations,
} from "../../support/session/test-session.ts";

function placeWithTemplate(): Place {
  const place = freshPlace();
  mkdirSync(join(place.home, "prompts"));
  writeFileSync(join(place.home, "prompts", "review.md"), "Review $1.");
  return place;
}

/** A session whose run waits in its first answer until it may continue. */
async function pausedSession(hooks?: Partial<SessionHooks>, place = placeWithTemplate()) {
  const moment = new Moment();
  const answers = Array.from({ length: 40 }, (_, index) => [{ text: `answer ${index + 1}` }]);
  const started = await startSession([[{ text: "first" }, { wait: moment.come }], ...answers], { place });
  if (hooks) started.session.useHooks({ ...NO_HOOKS, ...hooks });
  const streaming = nextEvent(started.session, "message_update");
  const run = started.session.prompt("begin");
  await streaming;
  return { ...started, run, resume: moment.mark };
}

const usersOf = (session: AgentSession) =>
  show(session.messages).flatMap((line) => (line.startsWith("user: ") ? [line.slice("user: ".length)] : []));

describe("messages for a queue", () => {
  test("a plain one is queued when the call returns; one with a slash when it resolves, in the words it stands for", async () => {
    const { session, run, resume } = await pausedSession();
    expect(session.prompting.steer({ text: "plain" })).toBeUndefined();
    expect(session.queue.texts("steering")).toEqual(["plain"]);
    const slow = session.prompting.followUp({ text: "/review a.ts" });
    expect(session.queue.texts("followUp")).toEqual([]);
    await slow;
    expect(session.queue.texts("followUp")).toEqual(["Review a.ts."]);
    resume();
    await run;
    expect(usersOf(session)).toEqual(["begin", "plain", "Review a.ts."]);
    await session.dispose();
  });

  test("they are in the order of the calls, whatever has to be resolved, and all are delivered in the run", async () => {
    const place = placeWithTemplate();
    const call = fc.record({
      way: fc.constantFrom("steer", "followUp", "promptSteer", "promptFollowUp"),
      isSlash: fc.boolean(),
      pause: fc.nat(2),
    });
    const expected = (index: number, isSlash: boolean) => (isSlash ? `Review ${index}.` : `plain ${index}`);
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 8 }), fc.boolean(), async (calls, hasHooks) => {
        const { session, run, resume, events } = await pausedSession(hasHooks ? {} : undefined, place);
        const queued: unknown[] = [];
        for (const [index, { way, isSlash, pause }] of calls.entries()) {
          const text = isSlash ? `/review ${index}` : `plain ${index}`;
          if (way === "steer" || way === "followUp") queued.push(session.prompting[way]({ text }));
          else {
            const streamingBehavior = way === "promptSteer" ? ("steer" as const) : ("followUp" as const);
            queued.push(session.prompting.submit({ text, streamingBehavior }).started);
          }
          for (let turn = 0; turn < pause; turn += 1) await undefined;
        }
        await Promise.all(queued);
        const of = (kind: RegExp) =>
          calls.flatMap(({ way, isSlash }, index) => (kind.test(way) ? [expected(index, isSlash)] : []));
        expect(session.queue.texts("steering")).toEqual(of(/steer/i));
        expect(session.queue.texts("followUp")).toEqual(of(/followUp/i));
        resume();
        await run;
        expect(usersOf(session)).toEqual(["begin", ...of(/steer/i), ...of(/followUp/i)]);
        expect(violations(events)).toEqual([]);
        await session.dispose();
      }),
      { numRuns: 25 },
    );
  });

  test("one that is on its way while the session changes does not reach the next session", async () => {
    const { session } = await pausedSession();
    const asked = new Moment();
    session.useHooks({
      ...NO_HOOKS,
      input: async (prompt) => {
        await asked.come;
        return { kind: "prompt", prompt };
      },
    });
    const steered = session.prompting.submit({ text: "late", streamingBehavior: "steer" }).started;
    const looked = session.prompting.followUp({ text: "/review a.ts" });
    const changed = session.changes.newSession();
    await nextEvent(session, "agent_settled");
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    asked.mark();
    await Promise.all([steered, looked, changed]);
    expect([session.queue.count, session.messages.length, session.isStreaming]).toEqual([0, 0, false]);
    await session.dispose();
  });
});

describe("a prompt while a run is active", () => {
  const shout: Partial<SessionHooks> = {
    input: async (prompt) =>
      prompt.text === "mine" ? { kind: "handled" } : { kind: "prompt", prompt: { ...prompt, text: `${prompt.text}!` } },
  };

  test("passes those who may change it or deal with it", async () => {
    const { session, run, resume } = await pausedSession(shout);
    const accepted: string[] = [];
    const outcomes = ["mine", "more"].map((text) => {
      const onAccepted = () => void accepted.push(text);
      return session.prompting.submit({ text, streamingBehavior: "steer", onAccepted }).started;
    });
    expect(await Promise.all(outcomes)).toEqual(["handled", "queued"]);
    expect([accepted, session.queue.texts("steering")]).toEqual([["mine", "more"], ["more!"]]);
    resume();
    await run;
    expect(usersOf(session)).toEqual(["begin!", "more!"]);
    await session.dispose();
  });

  test("begins a run of its own when the run has come to its end meanwhile", async () => {
    const asked = new Moment();
    const { session, run, resume } = await pausedSession();
    session.useHooks({
      ...NO_HOOKS,
      input: async (prompt) => {
        await asked.come;
        return { kind: "prompt", prompt };
      },
    });
    const { started, finished } = session.prompting.submit({ text: "late", streamingBehavior: "followUp" });
    resume();
    await run;
    asked.mark();
    expect(await started).toBe("run");
    await finished;
    expect(usersOf(session)).toEqual(["begin", "late"]);
    await session.dispose();
  });

  test("stays in the queue when the run was aborted meanwhile", async () => {
    const asked = new Moment();
    const { session, run } = await pausedSession();
    session.useHooks({
      ...NO_HOOKS,
      input: async (prompt) => {
        await asked.come;
        return { kind: "prompt", prompt };
      },
    });
    const { started } = session.prompting.submit({ text: "late", streamingBehavior: "followUp" });
    await session.abort();
    await run;
    asked.mark();
    expect(await started).toBe("queued");
    expect([session.queue.texts("followUp"), session.isStreaming]).toEqual([["late"], false]);
    await session.dispose();
  });
});
