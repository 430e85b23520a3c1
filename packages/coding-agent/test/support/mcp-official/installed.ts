import { existsSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../program.ts";
import { where } from "../where.ts";

/** The directory in which `npm test` installs the packages of MCP's authors (scripts/testing/mcp-suites.mjs). */
const INSTALLED = join(repository, "node_modules/.cache/pintle-mcp-official");

/** Returns the path of a file in one of those packages. */
export const official = (path: string): string => join(INSTALLED, "node_modules", path);

/** If they are missing, tests are skipped; in CI they run and fail. */
export const hasOfficial = existsSync(join(INSTALLED, "installed")) || process.env.CI === "true";

export const withOfficial = where(
  hasOfficial,
  "the official MCP suites are not installed: node scripts/testing/mcp-suites.mjs",
);
