import { UsageError } from "../../cli/usage-error.ts";
import type { Environment } from "../../config/keys/environment.ts";

/** The family's subcommands that pintle has. The code of each is loaded when it is called. */
const COMMANDS: Readonly<
  Record<string, () => Promise<{ run(argv: readonly string[], env: Environment): Promise<number> }>>
> = {
  auth: () => import("./auth-check.ts"),
  config: () => import("./show-config.ts"),
  list: () => import("./list-packages.ts"),
  mcp: () => import("./list-mcp.ts"),
};

/** Runs the subcommand and returns the exit code, or refuses it by name. */
export async function runFamilyCommand(name: string, argv: readonly string[], env: Environment): Promise<number> {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!load) {
    const program = env.PINTLE_DIALECT;
    throw new UsageError(
      `${program} ${name} does not exist in pintle, and was not sent as a message; ${program} -p -- ${name} sends it`,
    );
  }
  const { run } = await load();
  return run(argv, env);
}
