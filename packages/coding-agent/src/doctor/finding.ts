import type { Environment } from "../config/keys/environment.ts";
import type { ModelRegistry } from "../config/models/model-registry.ts";
import type { Settings } from "../config/settings/settings.ts";
import type { ProjectTrust } from "../trust/project-trust.ts";

/** `broken`: something that is configured, or that pintle needs, does not work. */
export type FindingStatus = "ok" | "info" | "warning" | "broken";

export interface Finding {
  status: FindingStatus;
  /** For the user. Contains names and places, never the value of a key. */
  text: string;
}

/** What the checks inspect. Nothing in it runs project code, and no check may. */
export interface Surroundings {
  cwd: string;
  /** pintle's own directory. */
  home: string;
  env: Environment;
  sessionDir: string;
  settings: Settings;
  registry: ModelRegistry;
  trust: ProjectTrust;
  isOffline: boolean;
  /** Problems with configuration files so far. */
  problems: readonly string[];
  version: string;
  ending: AbortSignal;
}

export type Check = (surroundings: Surroundings) => Finding[] | Promise<Finding[]>;

export const ok = (text: string): Finding => ({ status: "ok", text });
export const info = (text: string): Finding => ({ status: "info", text });
export const warning = (text: string): Finding => ({ status: "warning", text });
export const broken = (text: string): Finding => ({ status: "broken", text });
