import type { ProcessRunner } from "@pintle/exec/processes";
import type { PendingActionInput } from "../../previews/pending-action.ts";
import type { Logger } from "../api/logger.ts";
import type { CustomToolContext } from "../api/session-types.ts";
import type { CustomToolAPI, CustomToolPendingAction, ExecOptions } from "../api/tool-types.ts";
import { canAsk, noUi } from "../ui/no-ui.ts";
import type { ExtensionUi } from "../ui/ui.ts";
import { callExec } from "./exec-call.ts";
import { toPendingInput } from "./pending-input.ts";

/** Connects the modules to the session. Modules load before the session exists, so its fields are read at each use. */
export interface CustomToolBinding {
  cwd: () => string;
  processRunner?: (() => Promise<ProcessRunner>) | undefined;
  /** The mode's UI; without one, dialogs return their defaults. */
  ui?: (() => ExtensionUi | undefined) | undefined;
  pushPendingAction?: ((action: PendingActionInput) => void) | undefined;
  context?: (() => CustomToolContext) | undefined;
}

export interface CustomToolApiParts {
  binding: CustomToolBinding;
  logger: Logger;
  typebox: CustomToolAPI["typebox"];
  pi: CustomToolAPI["pi"];
}

const NO_STORE_TEXT = "Pending action store unavailable for custom tools in this runtime.";
/** Source of a change whose tool does not give its name. */
export const DEFAULT_SOURCE = "custom_tool";

/** Creates the object that all modules share; it is frozen so that none of them can change it. */
export function createCustomToolApi({ binding, logger, typebox, pi }: CustomToolApiParts): CustomToolAPI {
  return Object.freeze({
    get cwd() {
      return binding.cwd();
    },
    get ui() {
      return binding.ui?.() ?? noUi;
    },
    get hasUI() {
      return canAsk(binding.ui?.());
    },
    logger: Object.freeze(logger),
    typebox,
    pi: Object.freeze(pi),
    async exec(program: string, args?: readonly string[], options?: ExecOptions) {
      const { processRunner } = binding;
      if (!processRunner) throw new Error("No program can be started before the session has started.");
      return callExec({ cwd: binding.cwd(), processRunner }, program, args, options);
    },
    pushPendingAction(action: CustomToolPendingAction) {
      if (!binding.pushPendingAction) throw new Error(NO_STORE_TEXT);
      binding.pushPendingAction(toPendingInput(action, { sourceToolName: DEFAULT_SOURCE, cwd: binding.cwd }));
    },
  });
}
