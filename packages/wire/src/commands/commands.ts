import type { Static } from "typebox";
import { backgroundCommands } from "./background.ts";
import { budgetCommands } from "./budgets.ts";
import { connectionCommands } from "./connection.ts";
import { extraCommands } from "./extras.ts";
import { hostCommands } from "./host.ts";
import { modelCommands } from "./models.ts";
import { modeCommands } from "./modes.ts";
import { ompOnlyCommands } from "./omp.ts";
import { permissionCommands } from "./permissions.ts";
import { promptingCommands } from "./prompting.ts";
import { readingCommands } from "./reading.ts";
import { sessionCommands } from "./sessions.ts";
import { shellCommands } from "./shell.ts";
import { subagentCommands } from "./subagents.ts";
import { undoCommands } from "./undo.ts";
import { workCommands } from "./work.ts";

/** Every command of the protocol, in the order of the reference. */
export const commands = {
  ...promptingCommands,
  ...sessionCommands,
  ...readingCommands,
  ...modelCommands,
  ...modeCommands,
  ...connectionCommands,
  ...hostCommands,
  ...permissionCommands,
  ...budgetCommands,
  ...workCommands,
  ...undoCommands,
  ...shellCommands,
  ...backgroundCommands,
  ...subagentCommands,
  ...extraCommands,
  ...ompOnlyCommands,
};

export type CommandName = keyof typeof commands;
/** The second names of commands. */
export type CommandAlias = {
  [N in CommandName]: (typeof commands)[N] extends { aliasOf: CommandName } ? N : never;
}[CommandName];
export type Params<N extends CommandName> = Static<ReturnType<(typeof commands)[N]["params"]>>;
export type Result<N extends CommandName> =
  | Static<ReturnType<(typeof commands)[N]["result"]>>
  | Static<ReturnType<NonNullable<(typeof commands)[N]["variant"]>["result"]>>;
