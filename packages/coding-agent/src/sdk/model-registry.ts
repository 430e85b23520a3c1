import { join } from "node:path";
import type { Model } from "@pintle/ai";
import { homeDirectory } from "../config/home-dir.ts";
import { AuthStorage } from "../config/keys/auth-storage.ts";
import type { Environment } from "../config/keys/environment.ts";
import { runSecretCommand } from "../config/keys/run-command.ts";
import { ModelRegistry } from "../config/models/model-registry.ts";

type Report = (problem: string) => void;

export function openAuth(env: Environment, home: string, report: Report): AuthStorage {
  return AuthStorage.create(join(home, "auth.json"), { env, report, runCommand: runSecretCommand });
}

/** Reads the models and keys of a home directory, for commands that start no session. */
export function createModelRegistry(
  env: Environment,
  report: Report,
  { home = homeDirectory(env), ...options }: { home?: string; offline?: boolean; recorded?: readonly Model[] } = {},
) {
  const auth = openAuth(env, home, report);
  return { auth, registry: ModelRegistry.create(auth, join(home, "models.json"), { report, ...options }) };
}
