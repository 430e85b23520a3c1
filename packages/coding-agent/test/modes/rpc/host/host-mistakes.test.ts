import { expect, test } from "bun:test";
import { HostMistakes } from "@pintle/wire";
import { FakeTimers } from "../../../support/modes/frames/fake-timers.ts";

function bench(isStrict = false) {
  const timers = new FakeTimers();
  const sent: object[] = [];
  const startTimer = (run: () => void, ms: number) => timers.start(run, ms);
  const mistakes = new HostMistakes({ isStrict, send: (frame) => sent.push(frame), startTimer });
  return { timers, sent, mistakes };
}

const notice = (requestId: string, count: number, message: string) => ({
  type: "notice",
  level: "warning",
  source: "host",
  code: "unknown_field",
  requestId,
  count,
  message: `Mistake of the host: ${message}`,
});

test("sends the first notice of a kind immediately, and counts those in the next minute", () => {
  const { timers, sent, mistakes } = bench();
  for (const requestId of ["a", "b", "c"]) mistakes.report({ code: "unknown_field", reason: "wrong", requestId });
  expect(sent).toEqual([notice("a", 1, "wrong")]);
  timers.advance(60_000);
  expect(sent.splice(0)).toEqual([notice("a", 1, "wrong"), notice("c", 2, "wrong (the last of 2)")]);
  mistakes.report({ code: "unknown_field", reason: "wrong", requestId: "d" });
  timers.advance(60_000);
  expect(sent.splice(0)).toEqual([notice("d", 1, "wrong")]);
  timers.advance(60_000);
  mistakes.report({ code: "unknown_field", reason: "wrong", requestId: "e" });
  expect(sent).toEqual([notice("e", 1, "wrong")]);
});

test("limits each kind separately, and sends the remaining counts at the end", () => {
  const { sent, mistakes } = bench();
  mistakes.report({ code: "invalid_utf8", reason: "bytes" });
  mistakes.report({ code: "unknown_field", reason: "wrong", requestId: "a" });
  mistakes.report({ code: "unknown_field", reason: "wrong", requestId: "b" });
  expect(sent.splice(0)).toHaveLength(2);
  mistakes.close();
  expect(sent).toEqual([notice("b", 1, "wrong")]);
});

test("strict mode answers each mistake like a line that cannot be parsed", () => {
  const { sent, mistakes } = bench(true);
  for (const requestId of ["a", "b"]) mistakes.report({ code: "answered_late", reason: "too late", requestId });
  const failure = { type: "response", command: "parse", success: false, code: "answered_late" };
  const error = "Failed to parse command: too late";
  expect(sent).toEqual([
    { ...failure, error, requestId: "a" },
    { ...failure, error, requestId: "b" },
  ]);
});
