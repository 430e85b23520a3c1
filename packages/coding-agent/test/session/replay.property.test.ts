import { expect, test } from "bun:test";
import { join } from "node:path";
import type { ScriptedAnswer, ScriptStep } from "@pintle/ai/testing";
import fc from "fast-check";
import { propertyRuns } from "../../../agent/test/support/property-runs.ts";
import { microtasks } from "../../../agent/test/support/quiet.ts";
import { makeTool, ok } from "../../../agent/test/support/tools.ts";
import { freshPlace, startSession, storedMessages, violations } from "../support/session/test-session.ts";

// Whatever happened, the conversation in memory equals that after reloading the file.

const IMAGE = { type: "image" as const, mimeType: "image/png", data: Buffer.alloc(1200, 7).toString("base64") };

const words = fc.string({ unit: "binary", maxLength: 12 });
const step: fc.Arbitrary<ScriptStep> = fc.oneof(
  words.map((text) => ({ text, chunk: 2 })),
  fc.record({ thinking: words, signature: fc.constantFrom("sig", "") }),
  fc.constantFrom("fast", "slow", "fails", "draws", "unknown").map((call) => ({ call, args: { n: 1 } })),
);
const ending: fc.Arbitrary<ScriptStep[]> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<ScriptStep[]>([]) },
  fc.constantFrom<ScriptStep[]>([{ stop: "length" }], [{ vanish: true }], [{ fail: "overloaded" }]),
);
const answer: fc.Arbitrary<ScriptedAnswer> = fc
  .tuple(fc.array(step, { maxLength: 3 }), ending)
  .map(([steps, end]) => [...steps, ...end]);

type Action =
  | { do: "prompt"; image: boolean }
  | { do: "prompt and abort"; after: number }
  | { do: "steer" | "followUp" | "note" | "new" | "clone" | "branch" | "reopen" | "name" | "compact" };
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("prompt" as const), image: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("prompt and abort" as const), after: fc.nat(120) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom("steer", "followUp", "note", "new", "clone", "branch", "reopen", "name", "compact"),
    }),
  },
);

const tools = [
  makeTool("fast"),
  makeTool("slow", async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return { ...ok("slow"), details: { nothing: undefined, when: 1 } };
  }),
  makeTool("fails", async () => {
    throw new Error("failed");
  }),
  makeTool("draws", async () => ({ content: [IMAGE] })),
];

test("the conversation in memory equals the one in the file, after anything", async () => {
  const script = fc.array(answer, { minLength: 12, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(script, fc.array(action, { minLength: 1, maxLength: 7 }), async (answers, actions) => {
      const place = freshPlace();
      const { session, events } = await startSession(answers, {
        place,
        agentTools: tools,
        settings: { "session.fsync": "never", "retry.baseDelayMs": 0 },
      });
      for (const [index, act] of actions.entries()) {
        const text = `${act.do} ${index}`;
        if (act.do === "prompt") await session.prompt(text, { images: act.image ? [IMAGE] : [] });
        else if (act.do === "prompt and abort") {
          const run = session.prompting.submit({ text });
          await microtasks(act.after);
          await session.abort();
          await run.finished.catch(() => {});
        } else if (act.do === "steer") await session.prompting.steer({ text });
        else if (act.do === "followUp") await session.prompting.followUp({ text });
        else if (act.do === "note") {
          session.queue.withNextPrompt({
            role: "custom",
            customType: "note",
            content: text,
            display: true,
            timestamp: 1,
          });
        } else if (act.do === "name") session.conversation.rename(text);
        else if (act.do === "compact") await session.lifecycle.compact().catch(() => {});
        else if (act.do === "new") await session.changes.newSession();
        else if (act.do === "clone") await session.changes.clone().catch(() => {});
        else if (act.do === "branch")
          await session.changes.branch(session.manager.userMessages().at(-1)?.entryId ?? "").catch(() => {});
        else await session.changes.switchSession(session.sessionFile as string);

        const live = JSON.parse(JSON.stringify(session.messages));
        const isStored = await Bun.file(session.sessionFile as string).exists();
        const stored = isStored ? await storedMessages(place, session.sessionFile as string) : [];
        expect(JSON.parse(JSON.stringify(stored))).toEqual(live);
        expect(JSON.parse(JSON.stringify(session.manager.buildContext().messages))).toEqual(live);
      }
      expect(violations(events)).toEqual([]);
      await session.dispose();
      const lockFiles = await Array.fromAsync(new Bun.Glob("**/.*.lock*").scan({ cwd: join(place.home), dot: true }));
      expect(lockFiles).toEqual([]);
    }),
    propertyRuns({ numRuns: 40, seed: 4 }),
  );
}, 600_000);
