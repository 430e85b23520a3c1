import { approvalKind } from "./approval-view.ts";
import { budgetKind } from "./budget-view.ts";
import { dialogKind } from "./dialog-view.ts";
import { loginKind } from "./login-view.ts";
import { previewKind } from "./preview-view.ts";
import type { Kind, Question, QuestionKind } from "./question.ts";
import { trustKind } from "./trust-view.ts";

/** The kinds of questions that the page answers. */
export const KINDS = {
  approval: approvalKind,
  preview: previewKind,
  trust: trustKind,
  dialog: dialogKind,
  budget: budgetKind,
  login: loginKind,
};

export type AnyKind = QuestionKind<unknown, unknown>;

/** Returns the declaration of a kind, for code that treats all kinds alike. */
export function kindOf(kind: Kind): AnyKind {
  return KINDS[kind] as AnyKind; // `kind` selects the types
}

export function titleOf({ kind, asked }: Question): string {
  return kindOf(kind).title(asked);
}
