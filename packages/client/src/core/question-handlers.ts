import {
  type BudgetAmounts,
  type BudgetReachedEvent,
  type FrameHandlerTypes,
  type PendingActionInfo,
  QUESTIONS,
  type QuestionContext,
} from "../protocol.ts";
import type { HandledKind } from "./question-frames.ts";

// The handlers of the questions that an event asks and a command answers. Those of the others are generated (protocol.ts).

type Awaitable<T> = T | Promise<T>;

/** A handler whose answer has the type `A`. With `const A`, a literal returned from an async function keeps its literal type. */
// biome-ignore lint/suspicious/noExplicitAny: any handler
export type Handler<H extends (request: any, context: QuestionContext) => unknown, A> = (
  request: Parameters<H>[0],
  context: QuestionContext,
) => Awaitable<A>;

/** `undefined` leaves the decision to another handler, or to the deadline. */
export type PreviewAnswer =
  | "apply"
  | "discard"
  /**
   * With `files`, `hunks` or `edits`, only these parts of the change are applied, and the rest is discarded. `edits` have the
   * whole new text of a file.
   */
  | {
      action: "apply" | "discard";
      reason?: string;
      files?: string[];
      hunks?: string[];
      edits?: { path: string; content: string }[];
    }
  | undefined;
export type PreviewHandler = (preview: PendingActionInfo, context: QuestionContext) => Awaitable<PreviewAnswer>;

/** New totals for the budget's limits. With `undefined` the run waits for another answer, or ends at its deadline. */
export type BudgetAnswer = BudgetAmounts | undefined;
export type BudgetHandler = (event: BudgetReachedEvent, context: QuestionContext) => Awaitable<BudgetAnswer>;

/** By capability. */
export interface Handlers extends FrameHandlerTypes {
  resolvePreviews: PreviewHandler;
  budgets: BudgetHandler;
}

type HandledRow = (typeof QUESTIONS)[HandledKind];
type FrameMethods = { [R in HandledRow as R["handler"]["method"]]: R["capability"] };

/** The methods of the questions that are asked in a frame: the capability that each provides. */
export const FRAME_METHODS = Object.fromEntries(
  Object.values(QUESTIONS).flatMap((row) => ("handler" in row ? [[row.handler.method, row.capability]] : [])),
) as FrameMethods;

/** By the method that installs a handler: the capability that the handler provides. */
export const CAPABILITY_OF = { ...FRAME_METHODS, onPreview: "resolvePreviews", onBudget: "budgets" } as const;

/** Whether this host has a handler, by capability. */
export type Capabilities = { [C in keyof Handlers]?: boolean };
