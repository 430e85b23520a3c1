import { expect, test } from "bun:test";
import { questionFrames } from "@pintle/wire";
import { Compile } from "typebox/schema";
import type { TrustSubject } from "../../../../src/modes/rpc/host/trust-question.ts";
import { settle } from "../../../support/modes/frames/fake-timers.ts";
import { HostBench } from "../../../support/modes/rpc/host-bench.ts";

const subject: TrustSubject = {
  project: "/home/project",
  digest: "abc",
  items: [{ kind: "extension", name: "lint", path: ".pintle/extensions/lint.ts", digest: "def" }],
};

function ask(signal?: AbortSignal) {
  const bench = new HostBench();
  bench.channel.capabilities.declare({ trust: true });
  return { bench, decision: bench.channel.askForTrust(subject, signal) };
}

const resolved = (trusted: boolean, by: string) => ({ type: "trust_resolved", id: "trust_1", trusted, by }) as never;

test("does not ask a host that never declared that it answers", async () => {
  const bench = new HostBench();
  expect(await bench.channel.askForTrust(subject)).toBe(undefined);
  expect(bench.frames()).toEqual([]);
});

test("the question contains what to trust and its timeout", async () => {
  const { bench } = ask();
  const frames = bench.frames();
  expect(frames).toEqual([{ type: "trust_request", id: "trust_1", timeout: 120_000, ...subject }]);
  expect(Compile(questionFrames.trust_request()).Check(frames[0])).toBe(true);
  expect(bench.channel.list()).toEqual([
    { kind: "trust", id: "trust_1", since: 0, deadline: 120_000, default: "not trusted", title: "/home/project" },
  ]);
});

test("accepts only an explicit yes, and only the first answer", async () => {
  const rows: [object, boolean, boolean][] = [
    [{ trusted: true }, true, false],
    [{ trusted: true, remember: true }, true, true],
    [{ trusted: false, remember: true }, false, true],
    [{ trusted: "true", remember: "true" }, false, false],
    [{}, false, false],
  ];
  for (const [answer, isTrusted, isRemembered] of rows) {
    const { bench, decision } = ask();
    bench.frames();
    bench.answer({ type: "trust_response", id: "trust_2", trusted: true });
    bench.answer({ type: "trust_response", id: "trust_1", ...answer });
    bench.answer({ type: "trust_response", id: "trust_1", trusted: !isTrusted });
    expect(await decision).toEqual({ isTrusted, isRemembered });
    expect(bench.frames()).toEqual([resolved(isTrusted, "host")]);
  }
});

test("treats silence as a denial", async () => {
  const { bench, decision } = ask();
  bench.frames();
  bench.timers.advance(120_000);
  expect(await decision).toEqual({ isTrusted: false, isRemembered: false });
  bench.answer({ type: "trust_response", id: "trust_1", trusted: true, remember: true });
  expect(bench.frames()).toEqual([resolved(false, "timeout")]);
});

test("treats an abort and a disconnected host as a denial", async () => {
  const controller = new AbortController();
  const aborted = ask(controller.signal);
  aborted.bench.frames();
  controller.abort();
  expect(await aborted.decision).toEqual({ isTrusted: false, isRemembered: false });
  expect(aborted.bench.frames()).toEqual([resolved(false, "abort")]);

  const left = ask();
  left.bench.frames();
  left.bench.channel.hostGone();
  expect(await left.decision).toEqual({ isTrusted: false, isRemembered: false });
  expect(left.bench.frames()).toEqual([resolved(false, "disconnect")]);
  expect(await left.bench.channel.askForTrust(subject)).toEqual({ isTrusted: false, isRemembered: false });
  await settle();
  expect(left.bench.frames()).toEqual([]);
});
