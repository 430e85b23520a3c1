import { type CommandName, type CommandRow, commands, type Params, type Result } from "@pintle/wire";

// The clients' names for the commands. They are derived from the command table; only exceptions are listed.

const EXCEPTIONS = { set_host_tools: "setCustomTools" } as const;

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

export type ClientMethod<N extends CommandName> = N extends keyof typeof EXCEPTIONS ? (typeof EXCEPTIONS)[N] : Camel<N>;

/** By method: its command, parameters and result. */
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

/** The optional boolean parameter that selects another result, if the command has one; its result is the second of two. */
export function variantParam(command: CommandName): string | undefined {
  return (commands[command] as CommandRow).variant?.param;
}
