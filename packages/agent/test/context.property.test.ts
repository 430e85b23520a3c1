import { expect, test } from "bun:test";
import fc from "fast-check";
import { buildContext } from "../src/context.ts";
import type { AgentMessage } from "../src/messages.ts";
import { syntheticResult } from "../src/tool-result.ts";
import { anyMessage } from "./support/any-message.ts";
import { assistant, call, result, text, user } from "./support/messages.ts";
import { pairingFaults } from "./support/pairing.ts";
import { PROPERTY_TIMEOUT_MS, propertyRuns } from "./support/property-runs.ts";

const conversation = fc.array(anyMessage, { maxLength: 12 });
const runs = propertyRuns({ numRuns: 3000, seed: 1 });

test(
  "for any conversation, a provider gets complete pairs",
  async () => {
    await fc.assert(
      fc.asyncProperty(conversation, async (messages) => {
        expect(pairingFaults(await buildContext(messages))).toEqual([]);
      }),
      runs,
    );
  },
  PROPERTY_TIMEOUT_MS,
);

test(
  "building again from the result changes nothing",
  async () => {
    await fc.assert(
      fc.asyncProperty(conversation, async (messages) => {
        const built = await buildContext(messages);
        expect(await buildContext(built)).toEqual(built);
      }),
      runs,
    );
  },
  PROPERTY_TIMEOUT_MS,
);

test(
  "a reloaded conversation gives the same bytes as the live one",
  async () => {
    await fc.assert(
      fc.asyncProperty(conversation, async (messages) => {
        const reloaded = JSON.parse(JSON.stringify(messages)) as AgentMessage[];
        expect(JSON.stringify(await buildContext(reloaded))).toBe(JSON.stringify(await buildContext(messages)));
      }),
      runs,
    );
  },
  PROPERTY_TIMEOUT_MS,
);

test(
  "no user text, no text of a good answer and no real result of a remaining call is lost",
  async () => {
    await fc.assert(
      fc.asyncProperty(conversation, async (messages) => {
        const tagged = messages.map((one, index): AgentMessage => {
          if (one.role === "user") return { ...one, content: `user ${index};` };
          if (one.role === "assistant") return { ...one, content: [...one.content, text(`answer ${index};`)] };
          return one;
        });
        const sent = JSON.stringify(await buildContext(tagged));
        for (const [index, one] of tagged.entries()) {
          if (one.role === "user") expect(sent).toContain(`user ${index};`);
          if (one.role === "assistant") expect(sent.includes(`answer ${index};`)).toBe(one.stopReason !== "error");
        }
      }),
      runs,
    );
  },
  PROPERTY_TIMEOUT_MS,
);

test(
  "the order of user messages and answers is kept",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom("user", "call", "result"), { maxLength: 30 }), async (shape) => {
        const messages = shape.map((kind, index): AgentMessage => {
          if (kind === "user") return user(`m${index};`);
          return kind === "call" ? assistant([text(`m${index};`), call("a")]) : result("a", "r");
        });
        const order = [...JSON.stringify(await buildContext(messages)).matchAll(/m(\d+);/g)].map(([, index]) =>
          Number(index),
        );
        // A user message moves after the results of the call it interrupted, never past another answer.
        expect(order).toEqual([...order].sort((a, b) => a - b));
      }),
      runs,
    );
  },
  PROPERTY_TIMEOUT_MS,
);

/** A long session with everything that needs repair, and a counter of how often its messages are read. */
function longSession(turns: number) {
  let looks = 0;
  const counted = (one: AgentMessage): AgentMessage => {
    const { role, ...rest } = one;
    return Object.defineProperty(rest, "role", {
      enumerable: true,
      get: () => {
        looks += 1;
        return role;
      },
    }) as AgentMessage;
  };
  const messages = Array.from({ length: turns }, (_, turn) => [
    user(`question ${turn}`),
    assistant([call(`a${turn}`), call(`b${turn}`)]),
    user("wedged"),
    result(`b${turn}`),
    ...(turn % 3 === 0 ? [] : [result(`a${turn}`)]),
    assistant([call(`e${turn}`)], { stopReason: turn % 2 === 0 ? "error" : "aborted" }),
    result(`e${turn}`, "x", { details: syntheticResult("", "error").details }),
  ]).flat();
  return { messages: messages.map(counted), looks: () => looks };
}

test("the work grows linearly with the length of the conversation, not quadratically", async () => {
  const looksPerMessage = await Promise.all(
    [100, 1_000, 10_000].map(async (turns) => {
      const session = longSession(turns);
      await buildContext(session.messages);
      return session.looks() / session.messages.length;
    }),
  );
  const [small, middle, large] = looksPerMessage as [number, number, number];
  expect(middle).toBeLessThan(small * 1.1);
  expect(large).toBeLessThan(small * 1.1);
});

test("handles a hundred thousand messages", async () => {
  const { messages } = longSession(16_000);
  expect(messages.length).toBeGreaterThan(100_000);
  const built = await buildContext(messages);
  expect(pairingFaults(built)).toEqual([]);
});
