// Writes the client's copy of the protocol. A test fails when it is stale.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findBun } from "./bun.mjs";
import { root } from "./paths.mjs";

if (process.versions.bun === undefined) {
  // The declarations are TypeScript.
  process.exit(spawnSync(findBun(), [fileURLToPath(import.meta.url)], { stdio: "inherit" }).status ?? 1);
}

const { CLIENT_PROTOCOL_PATH, renderClientProtocol } = await import("./client-protocol.ts");
writeFileSync(join(root, CLIENT_PROTOCOL_PATH), renderClientProtocol());
console.log(`wrote ${CLIENT_PROTOCOL_PATH}`);
