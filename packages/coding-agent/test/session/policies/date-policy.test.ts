import { afterEach, expect, setSystemTime, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startCachingAnthropic } from "../../../../ai/test/support/cache/caching-server.ts";
import * as anthropic from "../../../../ai/test/support/protocols/anthropic-messages/samples.ts";
import { createAgentSession } from "../../../src/sdk/create-session.ts";
import type { CreateAgentSessionOptions } from "../../../src/sdk/options.ts";
import { freshPlace } from "../../support/session/test-session.ts";

const DAY_MS = 86_400_000;
/** Noon, so that the date is the same in most time zones where tests run. */
const FIRST_DAY = Date.UTC(2026, 2, 10, 12);
const onDay = (number: number) => setSystemTime(new Date(FIRST_DAY + (number - 1) * DAY_MS));

afterEach(() => void setSystemTime());

/** An environment whose model is a server with Anthropic's cache, and the content of its requests. */
async function start() {
  const answer = anthropic.answer("end_turn", anthropic.textBlock(0, "ok"));
  const server = await startCachingAnthropic([answer]);
  const place = freshPlace();
  const providers = { local: { baseUrl: server.url, api: "anthropic-messages", auth: "none", models: [{ id: "m" }] } };
  writeFileSync(join(place.home, "models.json"), JSON.stringify({ providers }));
  const open = async (more: Partial<CreateAgentSessionOptions> = {}) => {
    const env = { PINTLE_HOME: place.home };
    const { session } = await createAgentSession({ cwd: place.cwd, env, flags: { model: "local/m" }, ...more });
    return session;
  };
  const last = () => server.requests.at(-1)!.body;
  const dateInPrompt = () => /^Current date: (.*)$/m.exec(last().system[0].text)?.[1];
  const notes = () => JSON.stringify(last().messages).match(/The current date is now [-\d]+\./g) ?? [];
  return { server, open, dateInPrompt, notes };
}

const isAllRead = ({ readings }: Awaited<ReturnType<typeof start>>["server"]) =>
  readings.slice(1).every(({ read }, index) => read === readings[index]!.total);

test("a conversation over several days keeps its system prompt and gets each new date once", async () => {
  onDay(1);
  const { server, open, dateInPrompt, notes } = await start();
  await using _server = server;
  const session = await open();
  await session.prompt("one");
  await session.prompt("two");
  const date = dateInPrompt();
  expect(date).toStartWith("2026-03-1");
  expect(notes()).toEqual([]);
  onDay(2);
  await session.prompt("three");
  await session.prompt("four");
  expect(notes()).toHaveLength(1);
  const note = session.messages.find((message) => message.role === "custom");
  expect(note).toMatchObject({ customType: "date-changed", display: false });
  const file = session.sessionFile as string;
  await session.dispose();

  onDay(4);
  const resumed = await open({ session: { open: file } });
  await resumed.prompt("five");
  await resumed.changes.clone();
  await resumed.prompt("six");
  expect(notes()).toHaveLength(2);
  expect(new Set(notes()).size).toBe(2);
  expect(dateInPrompt()).toBe(date as string);
  expect(isAllRead(server)).toBe(true);

  await resumed.changes.newSession();
  await resumed.prompt("seven");
  expect([dateInPrompt() === date, notes()]).toEqual([false, []]);
  await resumed.dispose();
});
