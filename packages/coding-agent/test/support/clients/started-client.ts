import { delimiter, dirname, join } from "node:path";
import { dist, repository } from "../program.ts";
import { CHAT, type ChatPlace } from "../scenarios/chat-server.ts";
import type { ClientClass } from "./client-classes.ts";

// biome-ignore lint/suspicious/noExplicitAny: events of other programs' types; tests pick what they assert
export type Event = Record<string, any>;

export interface StartedClient extends AsyncDisposable {
  // biome-ignore lint/suspicious/noExplicitAny: see ClientClass
  rpc: any;
  /** Everything that its listeners have received. */
  events: Event[];
}

/** Folders with a program named `bun`: the first one without npm's install scripts, the second one with them. */
export const BUN_FOLDERS = [dirname(process.execPath), join(repository, "node_modules", ".bin")].join(delimiter);

/** Starts the client as its users do: with the path of a script, which it passes to `node` or `bun`. */
export async function startClient(
  client: ClientClass,
  { place }: ChatPlace,
  { args, customTools }: { args: readonly string[]; customTools?: readonly object[] },
): Promise<StartedClient> {
  const rpc = new client({
    cliPath: join(dist, "cli.js"),
    cwd: place.cwd,
    // oh-my-pi's clients expect Bun on the PATH.
    env: { ...place.env, PATH: `${place.env.PATH}${delimiter}${BUN_FOLDERS}` },
    args: [...args, ...CHAT],
    customTools,
  });
  const events: Event[] = [];
  await rpc.start();
  // The most general listener: oh-my-pi's plain one receives only the oldest events.
  (rpc.onSessionEvent ?? rpc.onEvent).call(rpc, (event: Event) => events.push(event));
  return { rpc, events, [Symbol.asyncDispose]: () => rpc.stop() };
}

/** The messages of a role, in order. */
export function textsOf(messages: Event[], role: string): string[] {
  return messages.filter((message) => message.role === role).map(({ content }) => textOf(content));
}

function textOf(content: string | Event[]): string {
  if (typeof content === "string") return content;
  return content.map((block) => block.text ?? "").join("");
}
