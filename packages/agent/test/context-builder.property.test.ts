import { expect, test } from "bun:test";
import fc from "fast-check";
import { convertContext } from "../src/context.ts";
import { ContextBuilder } from "../src/context-builder.ts";
import type { AgentMessage } from "../src/messages.ts";
import { anyMessage } from "./support/any-message.ts";
import { assistant, call, result, text, user } from "./support/messages.ts";
import { PROPERTY_TIMEOUT_MS, propertyRuns } from "./support/property-runs.ts";

const runs = propertyRuns({ numRuns: 3000, seed: 7 });

/** Turns as they usually are, so that long parts of a conversation are settled. */
const usualTurn = fc
  .constantFrom<AgentMessage[][]>(
    [user("go"), assistant([text("done")])],
    [user("look"), assistant([call("a"), call("b")]), result("a", "1"), result("b", "2"), assistant([text("seen")])],
    [assistant([call("c")]), result("c", "3")],
  )
  .map((messages) => structuredClone(messages)); // each turn has messages of its own

test(
  "a builder that follows a conversation gives what one conversion of all of it gives",
  async () => {
    const pieces = fc.array(fc.oneof(usualTurn, fc.array(anyMessage, { maxLength: 3 })), { maxLength: 12 });
    const steps = fc.array(fc.nat(40), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(pieces, steps, (list, lengths) => {
        const messages = list.flat();
        for (const order of [lengths.toSorted((a, b) => a - b), lengths]) {
          const builder = new ContextBuilder();
          for (const length of order) {
            const part = messages.slice(0, length);
            expect(builder.build(part)).toEqual(convertContext(part));
          }
        }
      }),
      runs,
    );
  },
  PROPERTY_TIMEOUT_MS,
);

test("settled messages keep their objects, also those that were converted", () => {
  const builder = new ContextBuilder();
  const messages: AgentMessage[] = [user("one"), user("two")];
  for (let turn = 0; turn < 100; turn += 1) {
    messages.push(assistant([call(`c${turn}`)]), result(`c${turn}`, "x"));
  }
  const earlier = builder.build(messages);
  messages.push(assistant([text("done")]), user("next"));
  const later = builder.build(messages);
  expect(earlier[0]).toMatchObject({ role: "user", content: "one\n\ntwo" });
  expect(later.filter((message, index) => message === earlier[index])).toHaveLength(earlier.length);
});
