import { join } from "node:path";
import { type StreamModel, streamModel } from "@pintle/ai";
import { AuthStorage } from "./config/auth-storage.ts";
import { chooseDefaultModel, type DefaultModelInput } from "./config/default-model.ts";
import type { Environment } from "./config/environment.ts";
import { homeDirectory } from "./config/home-dir.ts";
import { ModelRegistry } from "./config/model-registry.ts";
import { runShellCommand } from "./config/run-command.ts";
import { Settings, type SettingsInput } from "./config/settings.ts";
import { AgentSession } from "./session/agent-session.ts";
import { ModelState } from "./session/model-state.ts";
import { buildSystemPrompt } from "./session/system-prompt.ts";

export interface CreateAgentSessionOptions {
  cwd?: string;
  env?: Environment;
  flags?: DefaultModelInput["flags"];
  /** Key for the provider of the chosen model, for this process only. */
  apiKey?: string;
  systemPrompt?: string;
  appendSystemPrompt?: readonly string[];
  /** Strongest layer of the settings, dotted or nested keys. */
  settings?: SettingsInput;
  /** Some settings have other defaults when a program drives us. */
  rpc?: boolean;
  /** Problems with configuration files, one text each. */
  report?: (problem: string) => void;
  /** Replaces the provider layer. */
  stream?: StreamModel;
}

export interface CreatedSession {
  session: AgentSession;
  registry: ModelRegistry;
  /** Why it is not the model one may expect. */
  modelFallbackMessage?: string;
}

/** Something the user named does not exist; the text says what. */
export class StartUpError extends Error {}

function defaultModelOf(settings: Settings): DefaultModelInput["settings"] {
  return {
    defaultProvider: settings.get("defaultProvider"),
    defaultModel: settings.get("defaultModel"),
    defaultThinkingLevel: settings.get("defaultThinkingLevel"),
  };
}

export function createModelRegistry(
  env: Environment,
  report: (problem: string) => void,
  offline = true,
): { registry: ModelRegistry; auth: AuthStorage } {
  const home = homeDirectory(env);
  const auth = AuthStorage.create(join(home, "auth.json"), { env, report, runCommand: runShellCommand });
  return { auth, registry: ModelRegistry.create(auth, join(home, "models.json"), { report, offline }) };
}

/** Wires a session from its parts; decides nothing itself. */
export async function createAgentSession(options: CreateAgentSessionOptions = {}): Promise<CreatedSession> {
  const { cwd = process.cwd(), env = process.env, report = () => {} } = options;
  const settings = Settings.create(cwd, homeDirectory(env), { report, rpc: options.rpc ?? false });
  settings.applyOverrides(options.settings ?? {});
  const { registry, auth } = createModelRegistry(env, report, settings.get("models.offline"));
  const choice = await chooseDefaultModel({ registry, flags: options.flags, settings: defaultModelOf(settings) });
  if ("error" in choice) throw new StartUpError(choice.error);
  if (options.apiKey !== undefined) auth.setRuntimeApiKey(choice.model.provider, options.apiKey);
  const sessionId = Bun.randomUUIDv7();
  const session = new AgentSession({
    sessionId,
    models: new ModelState(registry, settings, { ...choice, sessionId }),
    settings,
    systemPrompt: buildSystemPrompt({
      ...(options.systemPrompt !== undefined && { base: options.systemPrompt }),
      append: options.appendSystemPrompt ?? [],
      cwd,
      today: new Date(),
    }),
    tools: [],
    stream: options.stream ?? streamModel,
  });
  return { session, registry, ...(choice.notice !== undefined && { modelFallbackMessage: choice.notice }) };
}
