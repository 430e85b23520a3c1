import type { Given } from "../cli/flags.ts";
import { printText } from "../cli/print.ts";
import type { Environment } from "../config/keys/environment.ts";
import { parseDialect } from "../modes/rpc/dialects/dialect.ts";
import { PI_WIRE_VERSION, version } from "../version.ts";

/** `--version`. Clients of pi compare the first number with the release they need. */
export async function printVersion({ dialect }: Given, env: Environment): Promise<number> {
  const isPi = parseDialect(dialect, env.PINTLE_DIALECT) === "pi";
  await printText(isPi ? `${PI_WIRE_VERSION} (pintle ${version})\n` : `${version}\n`);
  return 0;
}
