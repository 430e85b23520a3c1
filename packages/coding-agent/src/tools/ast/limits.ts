import type { Environment } from "../../config/keys/environment.ts";

const DEFAULT_MAX_FILES = 1000;

/** In how many files one call may find or change something. */
export function maxTouchedFiles(environment: Environment = process.env): number {
  const asked = Number(environment.PINTLE_MAX_AST_FILES);
  return Number.isInteger(asked) && asked >= 1 ? asked : DEFAULT_MAX_FILES;
}
