import { expect, test } from "bun:test";
import fc from "fast-check";
import { PROPERTY_TIMEOUT_MS, propertyRuns } from "../../../agent/test/support/property-runs.ts";
import { describeStores } from "../../../cluster/test/support/two-stores.ts";
import { FlakyHost } from "../support/flaky-host.ts";
import { scriptedGateway } from "../support/gateway-fixture.ts";
import { type Cursor, open, storedMessages } from "../support/session-talk.ts";
import type { Frame, TestHost } from "../support/test-host.ts";

const HOSTS = 3;

type Step =
  | { what: "prompt"; host: number; words: number }
  | { what: "repeat" }
  | { what: "read"; host: number; count: number }
  | { what: "leave" | "come"; host: number }
  | { what: "kill" }
  | { what: "wait"; ms: number };

const host = fc.integer({ min: 0, max: HOSTS - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ what: fc.constant("prompt" as const), host, words: fc.integer({ min: 1, max: 60 }) }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant("repeat" as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({ what: fc.constant("read" as const), host, count: fc.integer({ min: 1, max: 40 }) }),
  },
  { weight: 4, arbitrary: fc.record({ what: fc.constantFrom("leave" as const, "come" as const), host }) },
  { weight: 1, arbitrary: fc.constant({ what: "kill" as const }) },
  { weight: 4, arbitrary: fc.record({ what: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 15 }) }) },
);

/** The number of the frame after it. A killed worker may not be known to be dead yet. */
async function lastRun(host: TestHost, sessionId: string): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const from = host.frames.length;
    const id = `last ${attempt}`;
    const { success, code, error } = await host.ask({ type: "prompt", sessionId, message: `say ${id}`, id });
    if (code === "worker_exited") continue;
    if (success !== true) throw new Error(`the last prompt is refused: ${String(code)} ${String(error)}`);
    const isEnd = (frame: Frame) =>
      frame.type === "worker_exited" || (frame.type === "prompt_result" && frame.id === id);
    const end = await host.until(isEnd, from, "the end of the last run");
    if (end.type === "prompt_result") return end.seq as number;
  }
}

describeStores(
  (start) =>
    test(
      "hosts that connect, disconnect, read slowly and lose frames end with the state of one that stayed; no command is executed twice",
      async () => {
        const property = fc.asyncProperty(
          fc.array(step, { minLength: 10, maxLength: 60 }),
          fc.integer({ min: 5, max: 200 }),
          async (steps, ringFrames) => {
            await using served = await start({ ringFrames });
            const stayed = served.host();
            const sessionId = await open(stayed);
            await stayed.get({ type: "set_update_mode", sessionId, mode: "delta" });
            const cursor: Cursor = { epoch: served.gateway.epoch, seq: 0 };
            const hosts = Array.from({ length: HOSTS }, () => new FlakyHost(served, sessionId, cursor));
            const prompts: string[] = [];
            for (const one of steps) {
              if (one.what === "prompt") {
                prompts.push(`deltas ${one.words} ${prompts.length}`);
                hosts[one.host]!.prompt(prompts.at(-1)!);
              } else if (one.what === "repeat") {
                const message = prompts.at(-1);
                if (message) stayed.write({ type: "prompt", sessionId, message, commandKey: message });
              } else if (one.what === "read") hosts[one.host]!.read(one.count);
              else if (one.what === "leave") hosts[one.host]!.disconnect();
              else if (one.what === "come") hosts[one.host]!.connect();
              else if (one.what === "wait") await Bun.sleep(one.ms);
              // At most twice: after a third crash the session would not be restarted.
              else if (served.deaths < 2) served.killWorkers();
            }
            // Everything in progress ends, and the last run is visible to all.
            await served.until(() => served.gateway.state().sessions.idle === 1, "the session to be idle");
            const settled = await lastRun(stayed, sessionId);
            for (const one of hosts) await one.readUntilQuiet(settled);

            const stored = await storedMessages(stayed, sessionId);
            const reference = new FlakyHost(served, sessionId, cursor);
            for (const frame of stayed.events(sessionId)) reference.see(frame);
            expect([...reference.messages]).toEqual(stored);
            for (const one of hosts) expect([...one.messages]).toEqual(stored);
            const runs = served.journal().match(/^run .*/gm) ?? [];
            expect(new Set(runs).size).toBe(runs.length);
          },
        );
        await fc.assert(property, propertyRuns({ numRuns: 12, seed: 23 }));
      },
      PROPERTY_TIMEOUT_MS,
    ),
  scriptedGateway,
);
