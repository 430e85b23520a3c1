// The schema of the last release, one per protocol version: what existing hosts were written for.
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../paths.mjs";
import { findBreaks } from "./wire-changes.mjs";

const CURRENT = join(root, "docs/protocol.schema.json");

export function protocolVersion() {
  return readSchema(CURRENT).$defs.Ready.properties.protocolVersion.const;
}

/** Returns breaking changes since the last release. None if this protocol version was never released. */
export function breaksSinceRelease() {
  const released = releasedPath();
  return existsSync(released) ? findBreaks(readSchema(released), readSchema(CURRENT)) : [];
}

/** Records the current schema as the one that hosts know. */
export function renewReleasedWire() {
  mkdirSync(dirname(releasedPath()), { recursive: true });
  copyFileSync(CURRENT, releasedPath());
}

function releasedPath() {
  return join(root, `docs/released/protocol-${protocolVersion()}.schema.json`);
}

function readSchema(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}
