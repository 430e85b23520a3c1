import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type LoopbackServer,
  type Respond,
  sendEvents,
  startLoopbackServer,
} from "../../../../ai/test/support/loopback-server.ts";
import {
  messageDelta,
  messageStart,
  messageStop,
  textBlock,
} from "../../../../ai/test/support/protocols/anthropic-messages/samples.ts";
import type { ChatPlace } from "./chat-server.ts";
import { machine } from "./stored-sessions.ts";

/** Sends the whole answer at once, as a vendor with its own cache does. */
export const vendorSays = (text: string): Respond =>
  sendEvents(messageStart + textBlock(0, text) + messageDelta("end_turn") + messageStop);

/** Arguments that choose the first model of `vendorPlace`. */
export const VENDOR = ["--model", "vendor/first"];

/** An environment whose provider speaks Anthropic's API and has two models that can think. */
export async function vendorPlace(...answers: Respond[]): Promise<ChatPlace> {
  return vendorPlaceOn(await startLoopbackServer(...answers));
}

/** The same with an existing server. */
export function vendorPlaceOn(server: LoopbackServer): ChatPlace {
  const place = machine();
  const home = place.env.PINTLE_HOME as string;
  mkdirSync(home, { recursive: true });
  const cost = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
  const models = ["first", "second"].map((id) => ({ id, reasoning: true, contextWindow: 200_000, cost }));
  const vendor = { baseUrl: server.url, api: "anthropic-messages", apiKey: "key", models };
  writeFileSync(join(home, "models.json"), JSON.stringify({ providers: { vendor } }), { mode: 0o600 });
  return {
    place,
    server,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      place[Symbol.dispose]();
    },
  };
}
