import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Machine } from "../../../coding-agent/test/support/scenarios/stored-sessions.ts";

/** A PNG of one pixel. */
export const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** The model of the place takes images. */
export function letSeeImages({ env: { PINTLE_HOME = "" } }: Machine): void {
  const file = join(PINTLE_HOME, "models.json");
  const models = JSON.parse(readFileSync(file, "utf8"));
  models.providers.local.models = [{ id: "m", input: ["text", "image"] }];
  writeFileSync(file, JSON.stringify(models));
}
