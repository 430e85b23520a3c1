import { expect, test } from "bun:test";
import fc from "fast-check";
import { MAX_SET_ASIDE, OutputAttempts } from "../../src/output/output-attempts.ts";
import { propertyRuns } from "../support/property-runs.ts";

type Step = { kind: "accept"; value: number } | { kind: "fail"; value: number } | { kind: "setAside" };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("accept" as const), value: fc.nat() }),
  fc.record({ kind: fc.constant("fail" as const), value: fc.nat() }),
  fc.record({ kind: fc.constant("setAside" as const) }),
);
const errors = [{ path: "/a", message: "must be integer" }];

test("only the last valid step is accepted, attempts only grow, and failures exhaust them", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.nat(10), (steps, maxRepairs) => {
      const attempts = new OutputAttempts(maxRepairs);
      let failed = 0;
      let setAside = 0;
      for (const next of steps) {
        if (next.kind === "accept") attempts.accept(next.value);
        if (next.kind === "setAside") expect(attempts.setAside()).toBe(++setAside <= MAX_SET_ASIDE);
        if (next.kind === "fail") {
          failed += 1;
          expect(attempts.fail(errors, { value: next.value })).toEqual({
            attempt: failed,
            attemptsLeft: Math.max(0, maxRepairs + 1 - failed),
            errors,
          });
          expect(attempts.rejected).toEqual({ value: next.value });
        }
        const isExhausted = failed > maxRepairs;
        expect(attempts.isExhausted).toBe(isExhausted);
        const isAccepted = next.kind === "accept" && !isExhausted;
        expect(attempts.accepted).toEqual(isAccepted ? { value: next.value } : undefined);
        expect(attempts.count).toBe(failed + (isAccepted ? 1 : 0));
      }
    }),
    propertyRuns({ numRuns: 200, seed: 39 }),
  );
});
