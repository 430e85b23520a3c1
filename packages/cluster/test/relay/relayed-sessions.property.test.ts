import { expect, test } from "bun:test";
import fc from "fast-check";
import { PROPERTY_TIMEOUT_MS, propertyRuns } from "../../../agent/test/support/property-runs.ts";
import { FlakyHost } from "../../../gateway/test/support/flaky-host.ts";
import { type Cursor, open, storedMessages } from "../../../gateway/test/support/session-talk.ts";
import { linkedNodes } from "../support/linked-nodes.ts";

const HOSTS = 3;

type Step =
  | { what: "prompt"; host: number; words: number }
  | { what: "repeat" | "cut" }
  | { what: "read"; host: number; count: number }
  | { what: "leave" | "come"; host: number }
  | { what: "wait"; ms: number };

const host = fc.integer({ min: 0, max: HOSTS - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ what: fc.constant("prompt" as const), host, words: fc.integer({ min: 1, max: 60 }) }),
  },
  { weight: 2, arbitrary: fc.constant({ what: "repeat" as const }) },
  { weight: 1, arbitrary: fc.constant({ what: "cut" as const }) },
  {
    weight: 4,
    arbitrary: fc.record({ what: fc.constant("read" as const), host, count: fc.integer({ min: 1, max: 40 }) }),
  },
  { weight: 4, arbitrary: fc.record({ what: fc.constantFrom("leave" as const, "come" as const), host }) },
  { weight: 4, arbitrary: fc.record({ what: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 15 }) }) },
);

test(
  "relayed hosts end in the same state as a directly connected one, whatever is cut, and no command is executed twice",
  async () => {
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 10, maxLength: 60 }),
      fc.integer({ min: 5, max: 200 }),
      async (steps, ringFrames) => {
        await using linked = await linkedNodes(3, { ringFrames });
        const [owner, ...entries] = linked.nodes;
        const direct = owner!.host();
        const sessionId = await open(direct);
        linked.owners.set(sessionId, "n1");
        await direct.get({ type: "set_update_mode", sessionId, mode: "delta" });
        const cursor: Cursor = { epoch: owner!.gateway.epoch, seq: 0 };
        const hosts = Array.from({ length: HOSTS }, (_, at) => new FlakyHost(entries[at % 2]!, sessionId, cursor));
        const prompts: string[] = [];
        for (const one of steps) {
          if (one.what === "prompt") {
            prompts.push(`deltas ${one.words} ${prompts.length}`);
            hosts[one.host]!.prompt(prompts.at(-1)!);
          } else if (one.what === "repeat") {
            const message = prompts.at(-1);
            if (message) direct.write({ type: "prompt", sessionId, message, commandKey: message });
          } else if (one.what === "read") hosts[one.host]!.read(one.count);
          else if (one.what === "leave") hosts[one.host]!.disconnect();
          else if (one.what === "come") hosts[one.host]!.connect();
          else if (one.what === "wait") await Bun.sleep(one.ms);
          else for (const { links } of entries) links.cut();
        }
        const isIdle = () => owner!.gateway.state().sessions.idle === 1;
        await owner!.until(isIdle, "the session to be idle");
        const from = direct.frames.length;
        for (let asked = false; !asked; ) {
          const { success } = await direct.ask({ type: "prompt", sessionId, message: "say last", id: "last" });
          asked = success === true; // a run that was requested meanwhile comes first
        }
        const { seq } = await direct.until(({ type, id }) => type === "prompt_result" && id === "last", from);
        for (const one of hosts) await one.readUntilQuiet(seq as number);

        const expected = await storedMessages(direct, sessionId);
        const reference = new FlakyHost(owner!, sessionId, cursor);
        for (const frame of direct.events(sessionId)) reference.see(frame);
        expect([...reference.messages]).toEqual(expected);
        for (const one of hosts) expect([...one.messages]).toEqual(expected);
        const runs = owner!.journal().match(/^run .*/gm) ?? [];
        expect(new Set(runs).size).toBe(runs.length);
      },
    );
    await fc.assert(property, propertyRuns({ numRuns: 8, seed: 24 }));
  },
  PROPERTY_TIMEOUT_MS,
);
