import { expect, test } from "bun:test";
import { realGateway } from "../support/gateway-fixture.ts";
import { isType } from "../support/test-host.ts";

test("a session is opened, prompted and heard, with a number on each frame", async () => {
  await using served = realGateway();
  const host = served.host();
  const opened = await host.get({ type: "open_session", name: "first" });
  const { sessionId } = opened as { sessionId: string };
  expect(opened).toMatchObject({ state: { sessionId, sessionName: "first" }, cursor: { seq: 0 }, resync: false });
  const from = host.frames.length;
  await host.get({ type: "prompt", sessionId, message: "hello", id: "mine" });
  const result = await host.until(isType("prompt_result"), from);
  expect(result).toMatchObject({ sessionId, id: "mine", status: "completed" });
  await host.until(isType("session_settled"), from);
  const events = host.events(sessionId);
  expect(events.map(({ type }) => type)).toContain("message_update");
  // Entries are counted, and heard of only by a host that names them.
  const seqs = events.map(({ seq }) => seq as number);
  expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
  expect(new Set(seqs).size).toBe(seqs.length);
  const end = events.findLast(isType("message_end"))!;
  expect(end.cursor).toMatchObject({ seq: end.seq, entryId: expect.any(String) });
});
