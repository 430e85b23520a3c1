import { dirname, join } from "node:path";
import { dist } from "../program.ts";
import { CHAT, type ChatPlace } from "../scenarios/chat-server.ts";
import type { ClientClass } from "./client-classes.ts";

// biome-ignore lint/suspicious/noExplicitAny: events of other programs' types; tests pick what they assert
export type Event = Record<string, any>;

export interface StartedClient extends AsyncDisposable {
  // biome-ignore lint/suspicious/noExplicitAny: see ClientClass
  rpc: any;
  /** Everything its listeners have heard. */
  events: Event[];
}

/** The client as its users start it: with the path of a script, which it gives to `node` or `bun`. */
export async function startClient(
  client: ClientClass,
  { place }: ChatPlace,
  { args, customTools }: { args: readonly string[]; customTools?: readonly object[] },
): Promise<StartedClient> {
  const bun = dirname(process.execPath); // oh-my-pi's clients expect it on the PATH
  const rpc = new client({
    cliPath: join(dist, "cli.js"),
    cwd: place.cwd,
    env: { ...place.env, PATH: `${place.env.PATH}:${bun}` },
    args: [...args, ...CHAT],
    customTools,
  });
  const events: Event[] = [];
  await rpc.start();
  // The widest listener there is: oh-my-pi's plain one hears only the oldest events.
  (rpc.onSessionEvent ?? rpc.onEvent).call(rpc, (event: Event) => events.push(event));
  return { rpc, events, [Symbol.asyncDispose]: () => rpc.stop() };
}

/** The texts of a role, in order. */
export function textsOf(messages: Event[], role: string): string[] {
  return messages.filter((message) => message.role === role).map(({ content }) => textOf(content));
}

function textOf(content: string | Event[]): string {
  if (typeof content === "string") return content;
  return content.map((block) => block.text ?? "").join("");
}
