// `npm run site`: the documentation as a static site in dist/site.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findBun } from "./bun.mjs";
import { ensureInstalled } from "./ensure.mjs";
import { dist } from "./paths.mjs";

if (process.versions.bun === undefined) {
  await ensureInstalled();
  // Bun has a Markdown renderer.
  process.exit(spawnSync(findBun(), [fileURLToPath(import.meta.url)], { stdio: "inherit" }).status ?? 1);
}

const { buildSite } = await import("./site/build-site.mjs");
const { checkLinks } = await import("./site/check-links.mjs");

const site = join(dist, "site");
console.log(`wrote ${buildSite(site)} pages to dist/site; open dist/site/index.html`);
const wrong = checkLinks(site);
for (const line of wrong) console.error(line);
process.exitCode = wrong.length === 0 ? 0 : 1;
