import { expect, test } from "bun:test";
import fc from "fast-check";
import { CommandBacklog } from "../../../../src/modes/rpc/commands/command-backlog.ts";

const MIB = 1024 * 1024;

/** One step: a command enters the backlog, the reader continues or stops, or the backlog learns that it has read. */
type Step = { command: number } | { isBehind: boolean } | "read";

const steps = fc.array(
  fc.oneof(
    fc.record({ command: fc.integer({ min: 1, max: 9 * MIB }) }),
    fc.record({ isBehind: fc.boolean() }),
    fc.constant("read" as const),
  ),
  { maxLength: 60 },
);

test("starts commands in order, none while the reader is behind, and limits how many wait", () => {
  fc.assert(
    fc.property(steps, (list: Step[]) => {
      let isBehind = false;
      const given: number[] = [];
      const started: number[] = [];
      const backlog = new CommandBacklog(() => isBehind);
      const waitingBytes = () => given.slice(started.length).reduce((sum, bytes) => sum + bytes, 0);
      for (const step of list) {
        if (step === "read") backlog.open();
        else if ("isBehind" in step) isBehind = step.isBehind;
        else if (backlog.hasRoom(step.command)) {
          given.push(step.command);
          const wasBehind = isBehind;
          backlog.pass(() => {
            expect(isBehind).toBe(false);
            started.push(step.command);
          }, step.command);
          if (!wasBehind && waitingBytes() === 0) expect(started).toEqual(given);
        }
        expect(given.slice(0, started.length)).toEqual(started);
        expect(waitingBytes()).toBeLessThanOrEqual(16 * MIB);
      }
      isBehind = false;
      backlog.open();
      expect(started).toEqual(given);
    }),
  );
});

test("stops again when a started command fills the output", () => {
  let isBehind = true;
  const backlog = new CommandBacklog(() => isBehind);
  const started: number[] = [];
  for (const number of [1, 2, 3]) {
    backlog.pass(() => {
      started.push(number);
      isBehind = true;
      backlog.open(); // a sink that accepts nothing does not call back, but one that accepts data may do so immediately
    }, 10);
  }
  isBehind = false;
  backlog.open();
  expect(started).toEqual([1]);
});

test("is empty after the last command has started, or when the host has disconnected", async () => {
  let isBehind = true;
  const backlog = new CommandBacklog(() => isBehind);
  const started: number[] = [];
  await backlog.empty();
  backlog.pass(() => started.push(1), 10);
  const emptied = backlog.empty();
  isBehind = false;
  backlog.open();
  await emptied;
  isBehind = true;
  backlog.pass(() => started.push(2), 10);
  const forgotten = backlog.empty();
  backlog.forget();
  await forgotten;
  isBehind = false;
  backlog.open();
  expect(started).toEqual([1]);
});
