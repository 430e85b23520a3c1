import { PROTOCOL_VERSION } from "@pintle/wire";
import type { Given } from "../cli/flags.ts";
import { printText } from "../cli/print.ts";
import type { Environment } from "../config/keys/environment.ts";
import { parseDialect } from "../modes/rpc/dialects/dialect.ts";
import { PI_WIRE_VERSION, version } from "../version.ts";

/** Set by the build of a release. */
declare const PINTLE_COMMIT: string | undefined;

/** `--version`. Clients of pi compare the first number with the release they need. */
export async function printVersion({ dialect, json }: Given, env: Environment): Promise<number> {
  if (json) await printText(`${JSON.stringify(facts())}\n`);
  else if (parseDialect(dialect, env.PINTLE_DIALECT) === "pi")
    await printText(`${PI_WIRE_VERSION} (pintle ${version})\n`);
  else await printText(`${version}\n`);
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
