import { PROTOCOL_VERSION } from "@pintle/wire";
import type { Given } from "../cli/flags.ts";
import { printText } from "../cli/print.ts";
import type { Environment } from "../config/keys/environment.ts";
import { parseDialect } from "../modes/rpc/dialects/dialect.ts";
import { version, WIRE_VERSIONS } from "../version.ts";

/** Set by the build of a release. */
declare const PINTLE_COMMIT: string | undefined;

/**
 * Runs `--version`. Clients of pi and oh-my-pi compare the output with the release they need, and some accept only a number.
 */
export async function printVersion({ dialect, json }: Given, env: Environment): Promise<number> {
  if (json) await printText(`${JSON.stringify(facts())}\n`);
  else await printText(`${WIRE_VERSIONS[parseDialect(dialect, env.PINTLE_DIALECT)] ?? version}\n`);
  return 0;
}

function facts() {
  return {
    version,
    protocolVersion: PROTOCOL_VERSION,
    platform: `${process.platform}-${process.arch}`,
    bun: Bun.version,
    executable: process.execPath,
    ...(typeof PINTLE_COMMIT === "string" && { commit: PINTLE_COMMIT }),
  };
}
