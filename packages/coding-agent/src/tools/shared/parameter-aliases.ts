import type { ParameterAlias } from "@pintle/agent";

// Every start loads this file with the declarations, so keep it small.

type Aliases = Readonly<Record<string, ParameterAlias>>;

/** Accepts a list with exactly one value. */
export function single(name: string): ParameterAlias {
  return (value) => (Array.isArray(value) && value.length === 1 ? { [name]: value[0] } : undefined);
}

/** Other agents' names for the file. */
export const FILE_ALIASES: Aliases = {
  file_path: "path",
  filename: "path",
  file: "path",
  absolute_path: "path",
  target_file: "path",
  paths: single("path"),
};

/** Their names for the directory to search. */
export const DIRECTORY_ALIASES: Aliases = {
  directory: "path",
  dir: "path",
  folder: "path",
  dir_path: "path",
  directory_path: "path",
  target_directory: "path",
  search_directory: "path",
  search_path: "path",
  relative_workspace_path: "path",
  root: "path",
};

/** Their names for the maximum number of results. */
export const LIMIT_ALIASES: Aliases = {
  head_limit: "limit",
  max_results: "limit",
  max_count: "limit",
  max_matches: "limit",
};

/** Accepts an option only with the value that describes what the tool does anyway. */
export function only(expected: unknown): ParameterAlias {
  return (value) => (value === expected || value === String(expected) ? {} : undefined);
}

/** Maps to the opposite of a declared flag. */
export function not(name: string): ParameterAlias {
  return (value) => (typeof value === "boolean" ? { [name]: !value } : undefined);
}

/** Drops a parameter that other agents require in every call and that has no meaning here. */
export const dropped: ParameterAlias = () => ({});

/** Maps a value to the parameters that it stands for. */
export function oneOf(table: Readonly<Record<string, Record<string, unknown>>>): ParameterAlias {
  return (value) => (typeof value === "string" && Object.hasOwn(table, value) ? table[value] : undefined);
}

/** Names for the reason of a call, which other agents require and pintle ignores. */
export const REASON_ALIASES: Aliases = {
  explanation: dropped,
  description: dropped,
  instruction: dropped,
  instructions: dropped,
};
