import type { PermissionRule, RpcMethods } from "../protocol.ts";
import type { HostTool } from "./host-tools.ts";
import { type OptionNames, refuseUnknownOptions } from "./option-names.ts";
import { CAPABILITY_OF, type Handlers } from "./question-handlers.ts";

/** Handlers for the server's questions, named like the methods that install them. */
export type HandlerOptions = { [M in keyof typeof CAPABILITY_OF]?: Handlers[(typeof CAPABILITY_OF)[M]] };

export type BudgetOptions = Omit<NonNullable<Parameters<RpcMethods["setBudget"]>[0]>, "signal" | "timeoutMs">;

/** Options that are applied to a session before its first prompt. */
export interface SessionOptions extends HandlerOptions {
  /** Tools for the model that run in this program. */
  tools?: readonly HostTool[];
  /** Alias of `tools`. */
  customTools?: readonly HostTool[];
  /** Rules that override the preset and all other rules. */
  policy?: readonly PermissionRule[];
  /** Limits for runs. */
  budget?: BudgetOptions;
  /** Describes the output of every prompt without a schema of its own. */
  outputSchema?: object;
}

const BUDGET_NAMES: OptionNames<BudgetOptions> = {
  costUsd: true,
  tokens: true,
  turns: true,
  wallMs: true,
  toolCalls: true,
  scope: true,
  onReached: true,
  costUnknown: true,
};

/** Throws a TypeError for an unknown limit, because the run would have no limit at all. */
export function checkBudget(budget: BudgetOptions | undefined): void {
  if (budget) refuseUnknownOptions(budget, BUDGET_NAMES, "a limit or field of budget");
}

/** Methods that install handlers. */
export const HANDLER_METHODS = Object.keys(CAPABILITY_OF) as (keyof typeof CAPABILITY_OF)[];

export const SESSION_OPTION_NAMES: OptionNames<SessionOptions> = {
  // One key per name in the list.
  ...(Object.fromEntries(HANDLER_METHODS.map((name) => [name, true])) as OptionNames<HandlerOptions>),
  tools: true,
  customTools: true,
  policy: true,
  budget: true,
  outputSchema: true,
};
