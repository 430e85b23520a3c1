import type { CommandReading } from "../../../src/permissions/request.ts";

/** Returns the parsed form of a command that names no files. */
export function plainReading(facts: Partial<CommandReading>): CommandReading {
  const nothing = { readOnlyPrograms: [], patternPrograms: [], script: "" };
  return { ...nothing, namedPaths: () => [], searchedDirectories: () => [], ...facts };
}
