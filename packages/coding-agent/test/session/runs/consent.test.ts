import { describe, expect, test } from "bun:test";
import type { AgentSessionEvent } from "@pintle/wire";
import { Consent, type ConsentParts } from "../../../src/session/runs/consent.ts";
import type { TrustAsker } from "../../../src/trust/ask-for-trust.ts";
import { forever, Moment } from "../../support/session/test-session.ts";

const HOST: TrustAsker = { by: "host", ask: async () => undefined };

function consentWith(parts: Pick<ConsentParts, "ask" | "withheld">) {
  const events: AgentSessionEvent[] = [];
  const emit = (event: AgentSessionEvent) => void events.push(event);
  const announceCommands = async () => emit({ type: "available_commands_update", commands: [] });
  const consent = new Consent({ announceCommands, emit, ...parts });
  return { consent, types: () => events.map(({ type }) => type), events };
}

const never = () => new AbortController().signal;

describe("Consent", () => {
  test("does not wait if no host was asked", async () => {
    const { consent, types } = consentWith({});
    await consent.decided(never());
    expect(types()).toEqual([]);
  });

  test("waits for the answer, and then announces the commands", async () => {
    const answered = new Moment();
    const { consent, types } = consentWith({ ask: () => answered.come });
    consent.askOf(HOST);
    const decided = consent.decided(never()).then(() => types());
    expect(types()).toEqual([]);
    answered.mark();
    expect(await decided).toEqual(["available_commands_update"]);
  });

  test("a fault in between is reported only to the run that waits", async () => {
    const stray: unknown[] = [];
    const onStray = (reason: unknown) => void stray.push(reason);
    process.on("unhandledRejection", onStray);
    try {
      const { consent } = consentWith({ ask: () => Promise.reject(new Error("no disk")) });
      consent.askOf(HOST);
      await new Promise((resolve) => setImmediate(resolve));
      expect(await consent.decided(never()).catch((error: Error) => error.message)).toBe("no disk");
    } finally {
      process.off("unhandledRejection", onStray);
    }
    expect(stray).toEqual([]);
  });

  test("no longer than the caller wants", async () => {
    const { consent } = consentWith({ ask: () => forever });
    consent.askOf(HOST);
    const controller = new AbortController();
    const decided = consent.decided(controller.signal);
    controller.abort();
    expect(await decided).toBeUndefined();
    expect(await consent.decided(AbortSignal.abort())).toBeUndefined();
  });

  test("who has answered once is asked again; the end ends the question", async () => {
    const asked: [TrustAsker, AbortSignal][] = [];
    const { consent, types } = consentWith({
      ask: async (...question) => void asked.push(question),
      withheld: () => "2 items",
    });
    consent.askOf(HOST);
    consent.askAgain();
    await consent.decided(never());
    expect(asked.map(([asker]) => asker)).toEqual([HOST, HOST]);
    expect(types()).not.toContain("notice");
    consent.close();
    expect(asked[1]?.[1].aborted).toBe(true);
  });

  test.each([
    ["2 items", ["notice", "available_commands_update"]],
    [undefined, ["available_commands_update"]],
  ])("a host that cannot be asked learns what waits: %p", async (withheld, expected) => {
    const { consent, types, events } = consentWith({ withheld: () => withheld });
    consent.askAgain();
    await consent.decided(never());
    expect(types()).toEqual(expected as never);
    if (withheld) expect(events[0]).toEqual({ type: "notice", level: "warning", message: withheld, source: "trust" });
  });
});
