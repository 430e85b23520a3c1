import type { FlagOptions } from "@pintle/client";
import type { HandlerOptions, HostTool } from "@pintle/client/core";
import type { CreateAgentSessionOptions } from "../sdk/options.ts";
import type { SessionChoice } from "../session/opening/session-choice.ts";

type Replaced = "session" | "trust" | "tools" | "appendSystemPrompt";
type Shared =
  | ("model" | "provider" | "thinking" | "noSession" | "permissions")
  | ("sandbox" | "addDirs" | "builtinTools");

/** Options of a session in this process: those of the session itself, and those of `@pintle/client` under the same names. */
export interface EmbedOptions
  extends Omit<CreateAgentSessionOptions, Replaced>,
    HandlerOptions,
    Pick<FlagOptions, Shared> {
  /** Which conversation to open; default: a new one. A string is the start of an id, a name or a path. */
  session?: SessionChoice | string;
  /** Whether project code may run: true and "trusted" allow it for `cwd`, false and "closed" forbid it. */
  trust?: CreateAgentSessionOptions["trust"] | boolean;
  /** A string names a built-in tool to offer; others are tools of this program, declared with `tool()`. */
  tools?: readonly (string | HostTool)[];
  appendSystemPrompt?: string | readonly string[];
  /** Describes the output of every prompt that has no schema of its own: a JSON Schema, a TypeBox schema or a Standard Schema. */
  outputSchema?: object;
}

/** Converts the options to those of a session. Throws a TypeError if two of them conflict. */
export function toSessionOptions(options: EmbedOptions): CreateAgentSessionOptions {
  const {
    model,
    provider,
    thinking,
    noSession,
    permissions,
    sandbox,
    addDirs,
    builtinTools,
    outputSchema: _default,
    ...rest
  } = options;
  const { session, trust, tools = [], settings, appendSystemPrompt, flags, ...others } = rest;
  const names = [...tools.filter((tool) => typeof tool === "string"), ...(builtinTools ?? [])];
  const hasNames = names.length > 0 || builtinTools !== undefined || options.tools?.length === 0;
  return {
    ...others,
    ...sessionChoice(session, noSession),
    ...(trust !== undefined && { trust: typeof trust === "boolean" ? trustWord(trust) : trust }),
    flags: {
      ...flags,
      ...(model !== undefined && { model }),
      ...(provider !== undefined && { provider }),
      ...(thinking !== undefined && thinking !== "auto" && { thinking }),
    },
    settings: {
      ...settings,
      ...(permissions && { "permissions.mode": permissions }),
      ...(sandbox && { "sandbox.mode": sandbox }),
    },
    ...(addDirs && { additionalDirectories: [...(options.additionalDirectories ?? []), ...addDirs] }),
    ...(appendSystemPrompt !== undefined && { appendSystemPrompt: [appendSystemPrompt].flat() }),
    ...(hasNames && { tools: [...names, ...(options.customTools ?? []).map(({ name }) => name)] }),
  };
}

function sessionChoice(session: EmbedOptions["session"], noSession = false): { session?: SessionChoice } {
  if (noSession && session !== undefined) {
    throw new TypeError("The options session and noSession conflict; set only one of them");
  }
  if (noSession) return { session: { inMemory: true } };
  if (session === undefined) return {};
  return { session: typeof session === "string" ? { open: session } : session };
}

const trustWord = (isTrusted: boolean) => (isTrusted ? "open" : "closed");
