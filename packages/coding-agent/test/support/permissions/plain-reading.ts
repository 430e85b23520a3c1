import type { CommandReading } from "../../../src/permissions/request.ts";

/** What was read of a command that names no files. */
export function plainReading(facts: Partial<CommandReading>): CommandReading {
  const nothing = { readOnlyPrograms: [], patternPrograms: [], script: "" };
  return { ...nothing, namedPaths: () => [], searchedDirectories: () => [], ...facts };
}
