// Published pi extensions. Their optional and peer dependencies are programs and packages that pintle provides itself,
// or that no test needs.
import { isMain } from "../paths.mjs";
import { ensurePublishedPi } from "./published-pi.mjs";
import { ensurePackages } from "./separate-packages.mjs";

export async function ensurePublicExtensions(options) {
  const source = "packages/coding-agent/test/support/public-extensions";
  const args = ["--legacy-peer-deps", "--omit=optional"];
  await ensurePackages({ source, name: "pintle-public-extensions", title: "public extensions", args }, options);
  try {
    ensurePublishedPi();
  } catch (error) {
    (options?.log ?? console.log)(`WARNING: ${error.message}\nthe tests that need pi's packages cannot run`);
  }
}

// To be run by hand before a single test file.
if (isMain(import.meta.url)) await ensurePublicExtensions();
