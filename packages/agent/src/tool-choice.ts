import type { ToolChoice } from "@pintle/ai";

/** A directive for the next model calls: one choice per call, in order. */
export interface ToolChoiceDirective {
  label: string;
  choices: readonly ToolChoice[];
  /**
   * Called if the call with this choice failed or was aborted. True puts the choice back at the head; otherwise the
   * rest is dropped.
   */
  onRejected?(choice: ToolChoice): boolean;
  onResolved?(choice: ToolChoice): void;
}

/** Asked if no directive waits, for choices that follow from a state, such as a preview that must be resolved. */
export type StandingChoice = () => { label: string; choice: ToolChoice } | undefined;

interface Pending {
  directive: ToolChoiceDirective;
  choices: ToolChoice[];
}

/**
 * Consulted once per model call. A choice is in flight until its turn has ended, and is then either resolved or
 * rejected.
 */
export class ToolChoiceQueue {
  readonly #pending: Pending[] = [];
  #inFlight: { from: Pending; choice: ToolChoice } | undefined;
  #standing: StandingChoice = () => undefined;
  #label: string | undefined;

  push(directive: ToolChoiceDirective): void {
    if (directive.choices.length > 0) this.#pending.push({ directive, choices: [...directive.choices] });
  }

  setStanding(standing: StandingChoice): void {
    this.#standing = standing;
  }

  /** Label of the choice of the current call, for example to detect a turn that the user forced. */
  get label(): string | undefined {
    return this.#label;
  }

  /** Returns the choice for the model call that starts now. A named tool that is no longer active is dropped. */
  take(isActive: (toolName: string) => boolean): ToolChoice | undefined {
    for (let head = this.#pending[0]; head; head = this.#pending[0]) {
      const choice = head.choices.shift() as ToolChoice;
      if (head.choices.length === 0) this.#pending.shift();
      if (typeof choice === "object" && !isActive(choice.name)) continue;
      this.#inFlight = { from: head, choice };
      this.#label = head.directive.label;
      return choice;
    }
    const standing = this.#standing();
    const isUsable = standing && (typeof standing.choice !== "object" || isActive(standing.choice.name));
    this.#label = isUsable ? standing.label : undefined;
    return isUsable ? standing.choice : undefined;
  }

  /** Called at the end of the turn. Safe if nothing is in flight. */
  settle(outcome: "resolved" | "rejected"): void {
    const inFlight = this.#inFlight;
    this.#inFlight = undefined;
    this.#label = undefined;
    if (!inFlight) return;
    const { from, choice } = inFlight;
    if (outcome === "resolved") from.directive.onResolved?.(choice);
    else if (from.directive.onRejected?.(choice)) this.#putBack(from, choice);
    else this.#drop(from); // What was to follow a call that never happened no longer applies.
  }

  #drop(from: Pending): void {
    if (this.#pending[0] === from) this.#pending.shift();
  }

  #putBack(from: Pending, choice: ToolChoice): void {
    from.choices.unshift(choice);
    if (this.#pending[0] !== from) this.#pending.unshift(from);
  }
}
