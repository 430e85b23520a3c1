import type { ApprovalDecision, ApprovalRequest } from "@pintle/client";
import type { App, Feature } from "../app.ts";
import { choose } from "../questions/ask.ts";
import { shownText } from "../text/shown-text.ts";
import { diffLines } from "../tools/result-lines.ts";

const MAX_COMMAND_LINES = 15;

/** The first is preselected. */
const ANSWERS: readonly { value: ApprovalDecision; label: string }[] = [
  { value: "deny", label: "deny" },
  { value: "allow_once", label: "allow once" },
  { value: "allow_session", label: "allow in this session" },
  { value: "allow_always", label: "allow always" },
  { value: "deny_and_stop", label: "deny, and stop the run" },
];

/** Whether a tool call may run. Left without an answer, it may not. */
export const approvals: Feature = (app) => {
  app.onSession((session) => {
    session.onApproval(async (asked, { signal }) => {
      const answered = app.answerTimes.begin(asked.request.toolCallId);
      try {
        return await decide(app, asked, signal);
      } finally {
        answered();
      }
    });
  });
};

type Rules = ApprovalRequest["suggestedRules"];

async function decide(app: App, asked: ApprovalRequest, signal: AbortSignal) {
  const groups = ruleGroups(asked.suggestedRules);
  const narrow = groups[0]?.rules ?? [];
  // Without a rule that could be kept, there is only this call.
  const items = ANSWERS.filter(({ value }) => narrow.length > 0 || !isKept(value)).map((answer) => ({
    ...answer,
    ...(isKept(answer.value) && { description: narrow.map(ruleText).join(", ") }),
  }));
  for (;;) {
    const value = await choose(app, { title: titleOf(app, asked), items, signal });
    const decision = ANSWERS.find((answer) => answer.value === value)?.value ?? "deny";
    if (decision !== "allow_always") return isKept(decision) ? { decision, rules: narrow } : { decision };
    const rules = await chooseStored(app, groups, signal);
    if (rules) return { decision, rules };
    if (signal.aborted) return { decision: "deny" as const };
  }
}

interface RuleGroup {
  label: string;
  rules: Rules;
}

/** The narrowest first. A wide rule allows more than the call that is asked about. */
function ruleGroups(suggested: Rules): RuleGroup[] {
  const isWide = ({ command, path }: Rules[number]) =>
    command?.endsWith(" *") === true || path?.endsWith("**") === true;
  const group = (label: string, isMeant: (rule: Rules[number]) => boolean) => ({
    label,
    rules: suggested.filter(isMeant),
  });
  return [
    group("this call, in this project", (rule) => rule.project !== undefined && !isWide(rule)),
    group("more, in this project", (rule) => rule.project !== undefined && isWide(rule)),
    group("this call, in every project", (rule) => rule.project === undefined && !isWide(rule)),
    group("more, in every project", (rule) => rule.project === undefined && isWide(rule)),
  ].filter(({ rules }) => rules.length > 0);
}

/** Shows in full what would be stored. Returns undefined if the user goes back. */
async function chooseStored(app: App, groups: readonly RuleGroup[], signal: AbortSignal): Promise<Rules | undefined> {
  const { theme } = app;
  const title = [
    theme.bold("Which rule goes into your settings?"),
    ...groups.flatMap(({ label, rules }) => [
      `${label}:`,
      ...rules.map((rule) => theme.code(shownText(JSON.stringify(rule)))),
    ]),
  ];
  const items = groups.map(({ label }) => ({ value: label, label }));
  const none = { value: "", label: "none, go back" };
  // The user has just asked for it, so it keeps the keyboard; what is preselected stores nothing.
  const chosen = await choose(app, { title, items: [none, ...items], signal, isOpenedByUser: true });
  return groups.find(({ label }) => label === chosen)?.rules;
}

function isKept(decision: ApprovalDecision): boolean {
  return decision === "allow_session" || decision === "allow_always";
}

function titleOf({ theme }: App, { request, reason }: ApprovalRequest): string[] {
  const { title, command, paths = [], diff, escalation, annotations } = request;
  const commandLines = command ? shownText(command.text).split("\n") : [];
  const cut =
    commandLines.length > MAX_COMMAND_LINES
      ? [theme.dim(`… ${commandLines.length - MAX_COMMAND_LINES} more lines`)]
      : [];
  return [
    theme.bold(shownText(title).replaceAll("\n", " ")),
    theme.dim(shownText(reason)),
    ...(escalation === undefined ? [] : [theme.warning(shownText(escalation))]),
    // The other hints would only calm, and need not be true.
    ...(annotations?.destructiveHint ? [theme.warning("Its server says that it may destroy something.")] : []),
    ...commandLines.slice(0, MAX_COMMAND_LINES).map((line) => theme.code(line)),
    ...cut,
    ...paths.map(({ real, access }) => theme.dim(`${access} ${shownText(real)}`)),
    ...(diff === undefined ? [] : diffLines(diff, theme)),
  ];
}

function ruleText({ tool, command, path, kind }: Rules[number]): string {
  return shownText([tool, kind, command, path].filter((part) => part !== undefined).join(" ")).replaceAll("\n", " ");
}
