import type { Next, NextStep } from "@pintle/agent";

/**
 * Several policies as one. They are asked in order; the first that wants the failed message forgotten decides alone, what
 * the others want to say is said together in one turn.
 */
export function combineSteps(policies: readonly Next[]): Next {
  return async (outcome, signal): Promise<NextStep | undefined> => {
    const turns = [];
    for (const policy of policies) {
      const step = await policy(outcome, signal);
      if (signal.aborted) return undefined;
      if (step?.kind === "retry") return step;
      if (step) turns.push(step);
    }
    return turns.length > 0 ? { kind: "turn", messages: turns.flatMap(({ messages }) => messages) } : undefined;
  };
}
