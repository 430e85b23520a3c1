import { offlineModel } from "@pintle/ai";
import type { FlagTable } from "../../cli/flag-table.ts";
import { complain, printText } from "../../cli/print.ts";
import { UsageError } from "../../cli/usage-error.ts";
import type { Environment } from "../../config/keys/environment.ts";
import { resolveModelPattern } from "../../config/models/model-pattern.ts";
import type { ModelRegistry } from "../../config/models/model-registry.ts";
import { createModelRegistry } from "../../sdk/model-registry.ts";
import { familyArguments, JSON_FLAG, refuseWords } from "./family-arguments.ts";

const AUTH_FLAGS = {
  ...JSON_FLAG,
  provider: { kind: "value", value: "<name>", help: "provider to check" },
  model: { kind: "value", value: "<pattern>", help: "check the provider of this model" },
  "no-refresh": { kind: "switch", help: "has no effect: keys are never refreshed" },
} as const satisfies FlagTable;

interface AuthState {
  status: "ready" | "not_ready";
  provider?: string;
  reason?: "provider_not_found" | "credentials_not_configured";
}

/** Runs `auth check`: returns 0 if there is a key and 1 if not. Never prints keys. */
export async function run(argv: readonly string[], env: Environment): Promise<number> {
  const { flags, words } = familyArguments(argv, AUTH_FLAGS);
  if (words.join(" ") !== "check") refuseWords("auth", words, "auth check");
  const { registry } = createModelRegistry(env, complain);
  const state = check(registry, flags);
  await printText(`${flags.json ? JSON.stringify(state) : state.status}\n`);
  return state.status === "ready" ? 0 : 1;
}

function check(registry: ModelRegistry, { provider, model }: { provider?: string; model?: string }): AuthState {
  const name = model === undefined ? provider : providerOf(registry, model, provider);
  if (name === undefined) {
    // The offline model needs no key, so it does not count as ready.
    const usable = registry.getAvailable().find((model) => model.provider !== offlineModel.provider);
    return usable ? ready(usable.provider) : { status: "not_ready", reason: "credentials_not_configured" };
  }
  if (!registry.getAll().some((known) => known.provider === name)) {
    return { status: "not_ready", provider: name, reason: "provider_not_found" };
  }
  if (registry.hasAuth({ provider: name })) return ready(name);
  return { status: "not_ready", provider: name, reason: "credentials_not_configured" };
}

const ready = (provider: string): AuthState => ({ status: "ready", provider });

function providerOf(registry: ModelRegistry, pattern: string, provider: string | undefined): string {
  const models = registry.getAll().filter((model) => provider === undefined || model.provider === provider);
  const found = resolveModelPattern(pattern, { models, isUsable: (model) => registry.isUsable(model) });
  if ("error" in found) throw new UsageError(found.error);
  return found.model.provider;
}
