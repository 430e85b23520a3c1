import { existsSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../program.ts";
import { where } from "../where.ts";

/** The directory in which `npm test` installs the packages (scripts/testing/public-extensions.mjs). */
const INSTALLED = join(repository, "node_modules/.cache/pintle-public-extensions");

/** A file of one of the packages. */
export const publicExtension = (path: string): string => join(INSTALLED, "node_modules", path);

/** If they are missing, tests are skipped; in CI they run and fail. */
export const withPublicExtensions = where(
  existsSync(join(INSTALLED, "installed")) || process.env.CI === "true",
  "public extensions are not installed: node scripts/testing/public-extensions.mjs",
);

/** The directory in which `npm test` installs pi's published packages (scripts/testing/published-pi.mjs). */
export const publishedPi = join(INSTALLED, "pi");

/** Defines tests with those packages. */
export const withPublishedPi = where(
  existsSync(join(publishedPi, "fetched")) || process.env.CI === "true",
  "pi's packages are not there: node scripts/testing/public-extensions.mjs",
);
