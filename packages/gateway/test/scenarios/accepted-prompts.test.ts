import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { describeStores } from "../../../cluster/test/support/two-stores.ts";
import { realGateway } from "../support/gateway-fixture.ts";
import { open, prompt } from "../support/session-talk.ts";
import { isType, type TestHost } from "../support/test-host.ts";

interface Entry {
  message?: { role: string; content: { text?: string; type: string }[] };
}

async function userTexts(host: TestHost, sessionId: string): Promise<(string | undefined)[]> {
  const { entries } = await host.get<{ entries: Entry[] }>({ type: "get_entries", sessionId });
  return entries.flatMap(({ message }) => (message?.role === "user" ? [message.content[0]?.text] : []));
}

/** A prompt that the engine has accepted and whose entry it writes when the previous command has ended. */
async function acceptedOnly(host: TestHost, sessionId: string, message: string): Promise<void> {
  host.write({ type: "bash", sessionId, command: "sleep 600" });
  await host.get({ type: "prompt", sessionId, message });
}

describeStores((start) => {
  test("a prompt that an engine accepted and did not store before it was killed is in the conversation, once", async () => {
    await using served = await start({ permissions: undefined });
    const host = served.host();
    const sessionId = await open(host);
    await prompt(host, sessionId, "hello");
    await acceptedOnly(host, sessionId, "hello");
    served.killWorkers();
    await host.until(isType("worker_exited"));
    expect(await userTexts(host, sessionId)).toEqual(["hello", "hello"]);
    // A host that stayed connected receives it too.
    await host.until((frame) => frame.type === "message_end" && JSON.stringify(frame.message).includes('"hello"'));
    const from = host.frames.length;
    await host.get({ type: "continue_run", sessionId });
    await host.until(isType("session_settled"), from);
    await served.gateway.close();
  });

  test("the first prompt of a session is kept before the session has a file", async () => {
    await using served = await start({ permissions: undefined });
    const host = served.host();
    const sessionId = await open(host);
    await acceptedOnly(host, sessionId, "hello");
    served.killWorkers();
    await host.until(isType("worker_exited"));
    expect(await userTexts(host, sessionId)).toEqual(["hello"]);
    await served.gateway.close();
  });

  test("of engines that are killed as soon as they have accepted a prompt none loses or doubles it", async () => {
    await using served = await start();
    const host = served.host();
    const sessionId = await open(host);
    await prompt(host, sessionId, "hello");
    const send = host.send.bind(host);
    let isKilling = true;
    host.send = (frame) => {
      send(frame);
      if (isKilling && frame.json.includes('"command":"prompt","success":true')) served.killWorkers();
    };
    const acknowledged: string[] = [];
    for (let n = 0; n < 10; n += 1) {
      await host.get({ type: "open_session", session: sessionId });
      const from = host.frames.length;
      const { success } = await host.ask({ type: "prompt", sessionId, message: `run echo word-${n}` });
      if (success) acknowledged.push(`run echo word-${n}`);
      await host.until(isType("worker_exited"), from);
    }
    isKilling = false;
    await host.get({ type: "open_session", session: sessionId });
    expect(await userTexts(host, sessionId)).toEqual(["hello", ...acknowledged]);
    expect(acknowledged.length).toBeGreaterThan(3);
  });

  test("messages that were removed from the queue do not come back", async () => {
    await using served = await start();
    const host = served.host();
    const sessionId = await open(host);
    await prompt(host, sessionId, "hello");
    for (const message of ["one", "two", "three"]) await host.get({ type: "follow_up", sessionId, message });
    const { queue } = await host.get<{ queue: { followUpIds: string[] } }>({
      type: "get_state",
      sessionId,
    });
    await host.get({ type: "remove_queued", sessionId, queueId: queue.followUpIds[1] });
    await host.get({ type: "clear_queue", sessionId });
    await host.get({ type: "follow_up", sessionId, message: "four" });
    served.killWorkers();
    await host.until(isType("worker_exited"));
    expect(await userTexts(host, sessionId)).toEqual(["hello", "four"]);
  });
});

describe("session files", () => {
  test("a prompt that was accepted is in the conversation after the gateway and the engine were killed", async () => {
    await using before = realGateway();
    const host = before.host();
    const { sessionId, sessionFile } = await host.get<{ sessionId: string; sessionFile: string }>({
      type: "open_session",
    });
    await prompt(host, sessionId, "hello");
    await acceptedOnly(host, sessionId, "list files");
    const kept = `${sessionFile}.accepted`;
    expect(existsSync(kept)).toBe(true);
    before.killWorkers();
    await host.until(isType("worker_exited"));
    const env = { PATH: process.env.PATH, HOME: before.home, PINTLE_HOME: `${before.home}/.pintle` };
    await using after = realGateway({ env, roots: [before.cwd] });
    const next = after.host();
    await next.get({ type: "open_session", session: sessionId });
    expect(await userTexts(next, sessionId)).toEqual(["hello", "list files"]);
    expect(existsSync(kept)).toBe(false);
  });

  test("nothing is kept of prompts that are stored", async () => {
    await using served = realGateway();
    const host = served.host();
    const { sessionId, sessionFile } = await host.get<{ sessionId: string; sessionFile: string }>({
      type: "open_session",
    });
    await prompt(host, sessionId, "hello");
    expect(existsSync(`${sessionFile}.accepted`)).toBe(false);
  });
});
