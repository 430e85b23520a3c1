import { existsSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../program.ts";
import { where } from "../where.ts";

/** Where `npm test` puts what MCP's authors publish (scripts/testing/mcp-suites.mjs). */
const INSTALLED = join(repository, "node_modules/.cache/pintle-mcp-official");

/** A file of one of those packages. */
export const official = (path: string): string => join(INSTALLED, "node_modules", path);

/** Where they are missing, tests are skipped; in CI they run and fail. */
export const hasOfficial = existsSync(join(INSTALLED, "installed")) || process.env.CI === "true";

export const withOfficial = where(
  hasOfficial,
  "the official MCP suites are not installed: node scripts/testing/mcp-suites.mjs",
);
