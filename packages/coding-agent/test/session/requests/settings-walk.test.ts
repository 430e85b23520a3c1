import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { streamModel } from "@pintle/ai";
import { sendEvents, startLoopbackServer } from "../../../../ai/test/support/loopback-server.ts";
import type { SettingRow } from "../../../src/config/settings/setting-row.ts";
import { SETTINGS, type SettingKey } from "../../../src/config/settings/settings-schema.ts";
import { createAgentSession } from "../../../src/sdk/create-session.ts";
import { freshPlace } from "../../support/session/test-session.ts";

/**
 * Settings that may change the beginning of the next request when they change between two prompts. A setting that does so
 * without being listed here fails the test, because a new setting should not cost users what the provider has cached.
 */
const MAY_BREAK: Partial<Record<SettingKey, string>> = {
  "compaction.thresholdTokens": "compaction",
  "async.enabled": "tools_changed", // once: it stays on
  "resolve.by": "tools_changed",
  "thinkingBudgets.medium": "thinking_changed",
};

/** A value other than the effective one. */
function otherValue(row: SettingRow<unknown>): unknown {
  const words = row.type.expected.split(/ or |, /);
  const numbers = [1, 2, 50, 1_000, 2_000, 60_000];
  const rule = { effect: "deny", command: "curl *" };
  const candidates = [true, false, ...numbers, ...words, "other", ["other"], { other: "other" }, { o: ["o"] }, [rule]];
  const other = candidates.find(
    (value) => row.type.read(value) && JSON.stringify(value) !== JSON.stringify(row.default),
  );
  if (other === undefined) throw new Error(`no other value for a setting that must be ${row.type.expected}`);
  return other;
}

test("a setting that changes between two prompts keeps the request's beginning", async () => {
  const events = [
    { type: "message_start", message: { usage: { input_tokens: 10, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "well" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
    { type: "message_stop" },
  ];
  const answer = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  await using server = await startLoopbackServer(sendEvents(answer));
  const place = freshPlace();
  const model = { id: "thinker", reasoning: true, contextWindow: 1_000_000 };
  const provider = { baseUrl: server.url, api: "anthropic-messages", apiKey: "key", models: [model] };
  writeFileSync(join(place.home, "models.json"), JSON.stringify({ providers: { vendor: provider } }), { mode: 0o600 });
  const { session } = await createAgentSession({
    cwd: place.cwd,
    env: { PINTLE_HOME: place.home },
    stream: streamModel,
    settings: { "retry.enabled": false }, // one millisecond is too short for an answer
  });
  const causes: string[] = [];
  session.subscribe((event) => {
    if (event.type === "cache_break") causes.push(event.cause);
  });
  await session.prompt("first");
  const broken: Partial<Record<SettingKey, string>> = {};
  for (const [key, row] of Object.entries(SETTINGS) as [SettingKey, SettingRow<unknown>][]) {
    for (const value of [otherValue(row), undefined]) {
      session.settings.override(key, value as never);
      await session.prompt("next");
      const [cause] = causes.splice(0);
      if (cause !== undefined) broken[key] ??= cause;
    }
  }
  await session.dispose();
  expect(server.requests.length).toBeGreaterThan(2 * Object.keys(SETTINGS).length);
  expect(broken).toEqual(MAY_BREAK);
});
