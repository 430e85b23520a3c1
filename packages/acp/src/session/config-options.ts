import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import type { Model, RpcSessionState } from "@pintle/client/core";
import { PERMISSION_MODES, SANDBOX_MODES } from "@pintle/wire";
import type { Frame } from "../gateway-link.ts";
import { invalidParams } from "../rpc/rpc-error.ts";

/** The values that the options show, as the engine last reported them. */
export interface ConfigFacts {
  state: RpcSessionState;
  models: readonly Model[];
  thinkingLevels: readonly string[];
  /** The chosen mode. The engine reports only what follows from it. */
  sandboxMode: string;
}

interface Choice {
  value: string;
  name: string;
  description?: string;
}

interface OptionRow {
  name: string;
  category?: string;
  description: string;
  current(facts: ConfigFacts): string | undefined;
  choices(facts: ConfigFacts): Choice[];
  /** The command that applies a value. */
  command(value: string): Frame;
}

const MODES: Readonly<Record<(typeof PERMISSION_MODES)[number], { name: string; description: string }>> = {
  plan: { name: "Plan", description: "Reads only, changes nothing" },
  ask: { name: "Ask", description: "Asks before each change and command" },
  workspace: {
    name: "Workspace",
    description: "Changes project files; commands run in the sandbox or need approval",
  },
  full: { name: "Full", description: "Does everything unasked" },
};

const SANDBOX: Readonly<Record<(typeof SANDBOX_MODES)[number], string>> = {
  auto: "Depends on the permission preset",
  off: "Commands run without a sandbox",
  "workspace-write": "Commands can write only to the project and to temporary files",
  "read-only": "Commands write nothing",
};

const modelValue = ({ provider, id }: Pick<Model, "provider" | "id">) => `${provider}/${id}`;

/** The options that a client may choose for a session, one row each. */
const OPTIONS: Readonly<Record<string, OptionRow>> = {
  mode: {
    name: "Permissions",
    category: "mode",
    description: "What the agent may do without approval",
    current: ({ state }) => state.permissionMode,
    choices: () => PERMISSION_MODES.map((value) => ({ value, ...MODES[value] })),
    command: (mode) => ({ type: "set_permission_mode", mode }),
  },
  model: {
    name: "Model",
    category: "model",
    description: "Which model answers",
    current: ({ state }) => state.model && modelValue(state.model),
    choices: ({ models, state }) => {
      const known = models.some((model) => state.model && modelValue(model) === modelValue(state.model));
      const all = known || !state.model ? models : [state.model, ...models];
      return all.map((model) => ({ value: modelValue(model), name: model.name, description: model.provider }));
    },
    command: (value) => {
      const slash = value.indexOf("/");
      return { type: "set_model", provider: value.slice(0, slash), modelId: value.slice(slash + 1) };
    },
  },
  thinking: {
    name: "Thinking",
    category: "thought_level",
    description: "How much the model thinks",
    current: ({ state }) => state.thinkingLevel,
    choices: ({ thinkingLevels, state }) =>
      [...new Set([...thinkingLevels, state.thinkingLevel])].map((value) => ({ value, name: value })),
    command: (level) => ({ type: "set_thinking_level", level }),
  },
  sandbox: {
    name: "Sandbox",
    description: "Where the model's commands run",
    current: ({ sandboxMode }) => sandboxMode,
    choices: () => SANDBOX_MODES.map((value) => ({ value, name: value, description: SANDBOX[value] })),
    command: (mode) => ({ type: "set_sandbox_mode", mode }),
  },
};

export function configOptions(facts: ConfigFacts): SessionConfigOption[] {
  return Object.entries(OPTIONS).flatMap(([id, { name, category, description, current, choices }]) => {
    const currentValue = current(facts);
    if (currentValue === undefined) return []; // no model to choose from
    const about = { id, name, description, ...(category !== undefined && { category }) };
    return [{ ...about, type: "select" as const, currentValue, options: choices(facts) }];
  });
}

/** Applies a chosen value. Throws the error for the client. */
export function configCommand(configId: string, value: unknown, facts: ConfigFacts): Frame {
  if (!Object.hasOwn(OPTIONS, configId)) throw invalidParams(`there is no option ${configId}`);
  const row = OPTIONS[configId]!;
  const isOffered = row.choices(facts).some((choice) => choice.value === value);
  if (typeof value !== "string" || !isOffered) throw invalidParams(`${configId} cannot be ${JSON.stringify(value)}`);
  return row.command(value);
}

export function modeState({ state }: ConfigFacts): SessionModeState {
  const availableModes = PERMISSION_MODES.map((id) => ({ id, ...MODES[id] }));
  return { currentModeId: state.permissionMode, availableModes };
}

export function modeCommand(modeId: string): Frame {
  if (!PERMISSION_MODES.some((mode) => mode === modeId)) throw invalidParams(`there is no mode ${modeId}`);
  return { type: "set_permission_mode", mode: modeId };
}
