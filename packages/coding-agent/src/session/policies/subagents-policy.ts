import type { Delegation } from "../../subagents/delegation.ts";
import type { RunPolicy } from "./policy.ts";

export interface SubagentsPolicyParts {
  delegation: Delegation;
  /** Updates the declaration of the tool that starts subagents. */
  renew(): void;
}

/** Finds the kinds of subagents before the first run of a session, and lists them for the model. */
export function subagentsPolicy({ delegation, renew }: SubagentsPolicyParts): RunPolicy {
  return {
    name: "subagents",
    async prepare() {
      if (await delegation.prepare()) renew();
    },
    restore(cause) {
      if (cause !== "moved") delegation.restore();
    },
  };
}
