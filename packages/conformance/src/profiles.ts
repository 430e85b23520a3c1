import { readFileSync } from "node:fs";
import { ALL_FEATURES, FEATURES, type Feature, MODEL_ARGS, modelsConfig, type Profile } from "./profile.ts";

const without = (...missing: Feature[]): Feature[] => ALL_FEATURES.filter((feature) => !missing.includes(feature));
/** Questions that the others ask differently, or not at all. */
const ASKING: Feature[] = ["approvals", "previews", "trust"];
const session = (file: string) => ["--session", file];

const PROFILES: Record<string, Profile> = {
  pintle: {
    name: "pintle",
    files: (url) => ({ ".pintle/models.json": modelsConfig(url) }),
    env: (home) => ({ PINTLE_HOME: `${home}/.pintle` }),
    args: MODEL_ARGS,
    ompArgs: ["--dialect", "omp"],
    resume: session,
    projectExtension: ".pintle/extensions/check.ts",
    features: without(),
  },
  pi: {
    name: "pi",
    files: (url) => ({ ".pi/agent/models.json": modelsConfig(url) }),
    env: () => ({}),
    args: ["--offline", ...MODEL_ARGS],
    ompArgs: [],
    resume: session,
    projectExtension: ".pi/extensions/check.ts",
    features: without(
      "ready",
      "prompt_result",
      "abort_and_prompt",
      "host_tools",
      "delta_updates",
      "paging",
      "todos",
      "update_content",
      "thinking_auto",
      "interrupt_mode",
      "chunks",
      "host_uris",
      "session_directories",
      ...ASKING,
    ),
  },
  "oh-my-pi": {
    name: "oh-my-pi",
    files: (url) => ({ ".omp/agent/models.yml": modelsConfig(url) }),
    env: () => ({}),
    args: MODEL_ARGS,
    ompArgs: [],
    resume: (file) => ["--resume", file],
    projectExtension: ".omp/extensions/check.ts",
    features: without(
      ...ASKING,
      "settled",
      "prompt_result",
      "clear_queue",
      "delta_updates",
      "paging",
      "durations",
      "tool_patterns",
      "tool_changes",
      "compaction_size",
    ),
  },
};

export const PROFILE_NAMES = Object.keys(PROFILES);

/** Accepts one of the names, or a file: a known name in `base`, and what differs from it. */
export function loadProfile(nameOrFile: string): Profile {
  const known = PROFILES[nameOrFile];
  if (known) return known;
  if (!nameOrFile.endsWith(".json")) {
    throw new Error(`Unknown profile ${nameOrFile}: use one of ${PROFILE_NAMES.join(", ")}, or a .json file`);
  }
  return fromFile(nameOrFile);
}

interface ProfileFile {
  name?: string;
  base?: string;
  args?: string[];
  env?: Record<string, string>;
  /** Replaces the list of the base. */
  features?: Feature[];
}

function fromFile(path: string): Profile {
  const given = JSON.parse(readFileSync(path, "utf8")) as ProfileFile;
  const base = PROFILES[given.base ?? "pintle"];
  if (!base) throw new Error(`${path}: base must be one of ${PROFILE_NAMES.join(", ")}`);
  const unknown = (given.features ?? []).filter((feature) => !(feature in FEATURES));
  if (unknown.length > 0) throw new Error(`${path}: unknown features ${unknown.join(", ")}`);
  return {
    ...base,
    name: given.name ?? path,
    ...(given.args && { args: given.args }),
    ...(given.features && { features: given.features }),
    env: (home) => ({ ...base.env(home), ...given.env }),
  };
}
