import { describe, expect, test } from "bun:test";
import type { Lane, LaneRule } from "@pintle/wire";
import fc from "fast-check";
import { CommandLanes } from "../../../../src/modes/rpc/commands/command-lanes.ts";
import { settle } from "../../../support/modes/frames/fake-timers.ts";

/** Commands whose end the test decides; `log` records what happened, in order. */
function createLanes() {
  const lanes = new CommandLanes();
  const log: string[] = [];
  const running = new Map<string, () => void>();
  const submit = (name: string, rule: LaneRule) =>
    lanes.submit(rule, () => {
      log.push(`+${name}`);
      return new Promise<void>((resolve) => {
        running.set(name, () => {
          log.push(`-${name}`);
          running.delete(name);
          resolve();
        });
      });
    });
  const submitQuick = (name: string, rule: LaneRule) => lanes.submit(rule, () => void log.push(name));
  const finish = async (name: string) => {
    running.get(name)!();
    await settle();
  };
  return { lanes, log, running, submit, submitQuick, finish };
}

describe("starts", () => {
  test("a command with nothing to wait for starts before submit returns", () => {
    const { log, submitQuick } = createLanes();
    for (const lane of ["control", "ordered", "long", "read", "detached"] as const) submitQuick(lane, { lane });
    expect(log).toEqual(["control", "ordered", "long", "read", "detached"]);
  });

  test("reads and later writes wait for an ordered command, then start in order", async () => {
    const { log, submit, submitQuick, finish } = createLanes();
    submit("set", { lane: "ordered" });
    submitQuick("read 1", { lane: "read" });
    submitQuick("set 2", { lane: "ordered" });
    submitQuick("read 2", { lane: "read", overtakesLong: true });
    expect(log).toEqual(["+set"]);
    await finish("set");
    expect(log).toEqual(["+set", "-set", "read 1", "set 2", "read 2"]);
  });

  test("control overtakes everything", () => {
    const { log, submit, submitQuick } = createLanes();
    submit("compact", { lane: "long" });
    submitQuick("prompt", { lane: "ordered" });
    submitQuick("abort", { lane: "control" });
    expect(log).toEqual(["+compact", "abort"]);
  });

  test("get_state overtakes compact, but not a write queued after it", async () => {
    const { log, submit, submitQuick, finish } = createLanes();
    submit("compact", { lane: "long" });
    submitQuick("state 1", { lane: "read", overtakesLong: true });
    submitQuick("messages", { lane: "read" });
    submitQuick("set", { lane: "ordered" });
    submitQuick("state 2", { lane: "read", overtakesLong: true });
    expect(log).toEqual(["+compact", "state 1"]);
    await finish("compact");
    expect(log).toEqual(["+compact", "state 1", "-compact", "messages", "set", "state 2"]);
  });

  test("only the next detached command waits for a detached one", async () => {
    const { log, submit, submitQuick, finish } = createLanes();
    submit("bash 1", { lane: "detached" });
    submit("bash 2", { lane: "detached" });
    for (const lane of ["ordered", "long", "read"] as const) submitQuick(lane, { lane });
    expect(log).toEqual(["+bash 1", "ordered", "long", "read"]);
    await finish("bash 1");
    expect(log.slice(4)).toEqual(["-bash 1", "+bash 2"]);
  });

  test("starts ten thousand waiting commands without deep recursion", async () => {
    const { log, submit, submitQuick, finish } = createLanes();
    submit("first", { lane: "ordered" });
    for (let i = 0; i < 10_000; i++) submitQuick("next", { lane: "ordered" });
    await finish("first");
    expect(log.length).toBe(10_002);
  });

  test("ends thirty thousand concurrent commands without comparing each with the others", async () => {
    const { lanes, running, submit } = createLanes();
    for (let i = 0; i < 30_000; i++) submit(`read ${i}`, { lane: "read" });
    for (const end of [...running.values()]) end();
    await lanes.idle();
    expect(running.size).toBe(0);
  });
});

describe("ends", () => {
  test("idle resolves when every command has been answered", async () => {
    const { lanes, submit, finish } = createLanes();
    await lanes.idle();
    submit("a", { lane: "ordered" });
    submit("b", { lane: "ordered" });
    let isIdle = false;
    const idle = lanes.idle().then(() => {
      isIdle = true;
    });
    await finish("a");
    expect(isIdle).toBe(false);
    await finish("b");
    await idle;
  });

  test("a task that throws does not block its lane", () => {
    const { lanes, log, submitQuick } = createLanes();
    expect(() =>
      lanes.submit({ lane: "ordered" }, () => {
        throw new Error("bug");
      }),
    ).toThrow("bug");
    submitQuick("next", { lane: "ordered" });
    expect(log).toEqual(["next"]);
  });
});

describe("later commands", () => {
  test("wait for a read that is still loading, unless it lets others pass", async () => {
    const { log, submit, submitQuick, finish } = createLanes();
    submit("models", { lane: "read", letsOthersPass: true });
    submit("state", { lane: "read" });
    submitQuick("messages", { lane: "read" });
    for (const lane of ["ordered", "long", "detached", "control"] as const) submitQuick(lane, { lane });
    expect(log).toEqual(["+models", "+state", "messages", "control"]);
    await finish("state");
    expect(log.slice(4)).toEqual(["-state", "ordered", "long", "detached"]);
  });

  test("wait for an abort only if they start a run, like everything after them", async () => {
    const { log, submit, submitQuick, finish } = createLanes();
    submit("abort", { lane: "control", endsRuns: true });
    submitQuick("set", { lane: "ordered" });
    submitQuick("prompt", { lane: "ordered", beginsRun: true });
    submitQuick("later", { lane: "ordered" });
    expect(log).toEqual(["+abort", "set"]);
    await finish("abort");
    expect(log.slice(2)).toEqual(["-abort", "prompt", "later"]);
  });

  test("can await running detached commands without delaying their own start", async () => {
    const { lanes, log, submit, finish } = createLanes();
    const ends: (Promise<void> | undefined)[] = [];
    const ask = () => lanes.submit({ lane: "ordered" }, ({ detached }) => void ends.push(detached()));
    ask();
    submit("bash 1", { lane: "detached" });
    submit("bash 2", { lane: "detached" });
    ask();
    submit("bash 3", { lane: "detached" });
    expect(ends).toEqual([undefined, expect.any(Promise)]);
    void ends[1]?.then(() => log.push("heard"));
    await finish("bash 1");
    expect(log).toEqual(["+bash 1", "-bash 1", "+bash 2"]);
    await finish("bash 2");
    expect(log).toContain("heard");
  });
});

describe("the lane rules hold for any mix of commands and any order of completion", () => {
  const rule = fc.record({
    lane: fc.constantFrom<Lane>("control", "ordered", "long", "read", "detached"),
    overtakesLong: fc.boolean(),
    isQuick: fc.boolean(),
  });
  const actions = fc.array(fc.oneof(rule, fc.nat({ max: 20 })), { maxLength: 60 });

  test("hold", async () => {
    await fc.assert(
      fc.asyncProperty(actions, async (script) => {
        const { lanes, log, running, submit, submitQuick, finish } = createLanes();
        const rules: { lane: Lane; overtakesLong: boolean; isQuick: boolean }[] = [];
        const answered = (i: number) => log.includes(`-${i}`) || log.includes(`${i}`);
        const started = (i: number) => answered(i) || log.includes(`+${i}`);

        const checkRules = () => {
          rules.forEach(({ lane, overtakesLong }, i) => {
            const waitsFor = rules.slice(0, i).flatMap((earlier, j) => {
              const isWrite =
                earlier.lane === "ordered" || (earlier.lane === "long" && !(overtakesLong && lane === "read"));
              const isBehind = lane === "detached" && earlier.lane === "detached";
              const isRead = lane !== "read" && earlier.lane === "read";
              return lane !== "control" && (isWrite || isBehind || isRead) ? [j] : [];
            });
            // Starts exactly when nothing is left to wait for: neither too early nor later than necessary.
            expect([i, started(i)]).toEqual([i, waitsFor.every(answered)]);
          });
        };

        for (const action of script) {
          if (typeof action === "number") {
            const name = [...running.keys()][action % Math.max(1, running.size)];
            if (name !== undefined) await finish(name);
          } else {
            // The exception applies only to reads; no other row of the table has it.
            const overtakesLong = action.overtakesLong && action.lane === "read";
            rules.push({ ...action, overtakesLong });
            (action.isQuick ? submitQuick : submit)(`${rules.length - 1}`, { lane: action.lane, overtakesLong });
          }
          checkRules();
        }
        const idle = lanes.idle();
        while (running.size > 0) await finish([...running.keys()][0]!);
        await idle;

        const answers = log.filter((entry) => !entry.startsWith("+")).map((entry) => Number(entry.replace("-", "")));
        const writes = answers.filter((i) => ["ordered", "long"].includes(rules[i]!.lane));
        expect(writes).toEqual(writes.toSorted((a, b) => a - b));
        expect(answers.length).toBe(rules.length);
      }),
      { numRuns: 300 },
    );
  });
});
