// Writes the reference pages that are generated from tables in the source. A test fails if one of them is stale.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findBun } from "./bun.mjs";
import { root } from "./paths.mjs";

if (process.versions.bun === undefined) {
  // The tables are TypeScript.
  process.exit(spawnSync(findBun(), [fileURLToPath(import.meta.url)], { stdio: "inherit" }).status ?? 1);
}

const { renderSettingsPage } = await import("./docs/settings-page.ts");
const { renderRpcPage } = await import("./docs/rpc-page.ts");
const { renderProtocolSchema } = await import("./docs/wire/protocol-schema.ts");

const { EXTENSIONS_PATH, renderExtensionsPage } = await import("./docs/extensions-page.ts");
const { renderCliPage } = await import("./docs/cli-page.ts");
const { CLIENT_PROTOCOL_PATH, renderClientProtocol } = await import("./docs/client-protocol.ts");
const { PYTHON_FRAMES_PATH, renderPythonFrames } = await import("./docs/python/frames.ts");
const { PYTHON_RESULTS_PATH, renderPythonResults } = await import("./docs/python/results.ts");
const { PYTHON_HANDLERS_PATH, renderPythonHandlers } = await import("./docs/python/handlers.ts");
const { PYTHON_METHODS_PATH, renderPythonMethods } = await import("./docs/python/methods.ts");
const { PYTHON_SYNC_PATH, renderPythonSync } = await import("./docs/python/sync.ts");

const PAGES = {
  "docs/cli.md": renderCliPage,
  "docs/settings.md": renderSettingsPage,
  "docs/rpc.md": renderRpcPage,
  [EXTENSIONS_PATH]: renderExtensionsPage,
  "docs/protocol.schema.json": renderProtocolSchema,
  [CLIENT_PROTOCOL_PATH]: renderClientProtocol,
  [PYTHON_FRAMES_PATH]: renderPythonFrames,
  [PYTHON_RESULTS_PATH]: renderPythonResults,
  [PYTHON_METHODS_PATH]: renderPythonMethods,
  [PYTHON_HANDLERS_PATH]: renderPythonHandlers,
  [PYTHON_SYNC_PATH]: renderPythonSync,
};

for (const [path, render] of Object.entries(PAGES)) {
  writeFileSync(join(root, path), render());
  console.log(`wrote ${path}`);
}
