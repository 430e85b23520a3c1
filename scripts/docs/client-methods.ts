import { type CommandName, commands, type Params, type Result } from "@pintle/wire";

// What a client calls the commands. Everything follows from the command table; only the exceptions are written down.

const EXCEPTIONS = { set_host_tools: "setCustomTools" } as const;

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

export type ClientMethod<N extends CommandName> = N extends keyof typeof EXCEPTIONS ? (typeof EXCEPTIONS)[N] : Camel<N>;

/** By method: its command, what the command takes and what it gives. */
export type ClientCalls = {
  [N in CommandName as ClientMethod<N>]: { command: N; params: Params<N>; result: Result<N> };
};

export const clientMethods = Object.fromEntries(
  (Object.keys(commands) as CommandName[]).map((command) => [clientMethod(command), command]),
) as { [M in keyof ClientCalls]: ClientCalls[M]["command"] };

export function clientMethod<N extends CommandName>(command: N): ClientMethod<N> {
  const camel = command.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
  return ((EXCEPTIONS as Record<string, string>)[command] ?? camel) as ClientMethod<N>;
}
