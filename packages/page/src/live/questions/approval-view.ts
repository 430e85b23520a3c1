import type { ApprovalAnswer, ApprovalDecision, ApprovalRequest, PermissionRule } from "@pintle/client/core";
import { diffView } from "../../code/diff-view.ts";
import { parseDiff } from "../../code/parse-diff.ts";
import { type Child, h } from "../../dom.ts";
import { exactly } from "../../visible-text.ts";
import type { OpenQuestion, QuestionKind } from "./question.ts";
import { answerButton, factList, type QuestionView, wholeText } from "./question-parts.ts";

interface RuleBox {
  rule: PermissionRule;
  box: HTMLInputElement;
}

/** Fewer characters of a line than the diff view shows. */
const SHOWN_CHARACTERS = 900;

export const approvalKind: QuestionKind<ApprovalRequest, ApprovalAnswer> = {
  method: "onApproval",
  name: "Approval",
  title: ({ request }) => request.title,
  deadline: ({ expiresAt }) => expiresAt,
  byDefault: "denied",
  view: approvalView,
};

/** A tool call to approve: everything that it would do, and how long the answer applies. */
function approvalView({ asked, answer }: OpenQuestion<"approval">): QuestionView {
  const { request, reason } = exactly(asked);
  const { command, paths = [], diff, escalation, origin, tool } = request;
  const { suggestedRules } = asked;
  const rules: RuleBox[] = suggestedRules.map((rule) => ({
    rule,
    box: h("input", { type: "checkbox", checked: isMeant(rule, suggestedRules) }),
  }));
  const note = h("input", {
    type: "text",
    class: "note",
    maxlength: 2000,
    autocomplete: "off",
    placeholder: "A note for the model, with a denial",
    "aria-label": "A note for the model, with a denial",
  });
  const decide = (decision: ApprovalDecision) => {
    const kept = rules.filter(({ box }) => box.checked).map(({ rule }) => rule);
    const text = note.value.trim();
    const isDenial = decision.startsWith("deny");
    answer({
      decision,
      ...(!isDenial && decision !== "allow_once" && { rules: kept }),
      ...(isDenial && text !== "" && { note: text }),
    });
  };
  const deny = answerButton("Deny", () => decide("deny"), "danger");
  return {
    first: deny,
    content: [
      command && wholeText(command.text, "Command"),
      factList([
        ["why", reason],
        ["tool", origin === "builtin" ? tool : `${tool} (${origin})`],
        ["in", command?.cwd],
        ["with", environment(command?.env)],
        ["outside the sandbox", escalation],
        ["files", command ? undefined : fileList(paths)],
      ]),
      diff !== undefined &&
        diff !== "" &&
        h("div", { class: "question-diff" }, diffView(parseDiff(diff)), longLines(diff)),
      note,
    ],
    controls: [
      // Next to the buttons, so that the rules they store are always visible.
      rules.length > 0 && ruleList(rules),
      deny,
      answerButton("Allow once", () => decide("allow_once"), "main"),
      rules.length > 0 && answerButton("For this session", () => decide("allow_session")),
      rules.length > 0 && answerButton("Always", () => decide("allow_always")),
      answerButton("Deny and stop", () => decide("deny_and_stop"), "danger"),
    ],
  };
}

/** The rules that are ticked by default, in full; others that the server suggests are folded. */
function ruleList(rules: readonly RuleBox[]): Child {
  const [meant, others] = [rules.filter(({ box }) => box.checked), rules.filter(({ box }) => !box.checked)];
  const rows = (some: readonly RuleBox[]) =>
    some.map(({ rule, box }) => h("label", {}, box, h("code", {}, ruleText(exactly(rule)))));
  return h(
    "fieldset",
    { class: "question-rules" },
    h("legend", {}, "Rules to keep for the session or, with Always, in your settings"),
    rows(meant),
    meant.length === 0
      ? rows(others)
      : others.length > 0 && h("details", {}, h("summary", {}, "Other rules"), rows(others)),
  );
}

/** The lines that the view cuts off, because an answer applies only to what was shown. */
function longLines(diff: string): Child {
  const isCut = diff.split("\n").some((line) => line.length > SHOWN_CHARACTERS);
  return (
    isCut && h("details", {}, h("summary", {}, "Show everything, including long lines"), wholeText(diff, "Change"))
  );
}

/** Returns whether to preselect a rule: it allows this call again, in this project, and nothing else. */
export function isMeant(rule: PermissionRule, suggested: readonly PermissionRule[]): boolean {
  const hasProject = suggested.some(({ project }) => project !== undefined);
  return isNarrow(rule) && (rule.project !== undefined || !hasProject);
}

/** A broad rule allows more than the call in question. */
function isNarrow({ command, path }: PermissionRule): boolean {
  return command?.endsWith(" *") !== true && path?.endsWith("**") !== true;
}

export function ruleText({ effect: _effect, ...parts }: PermissionRule): string {
  return Object.entries(parts)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
}

function environment(env: Readonly<Record<string, string>> | undefined): string | undefined {
  if (!env) return undefined;
  return Object.entries(env)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}

/** The target of a link matters. */
function fileList(paths: readonly { path: string; real: string; access: string }[]): Child {
  if (paths.length === 0) return undefined;
  return paths.map(({ path, real, access }) =>
    h("div", {}, `${access} `, h("code", {}, path), real !== path && [" → ", h("code", {}, real)]),
  );
}
