import type { ApprovalDecision, ApprovalRequest } from "@pintle/client";
import type { App, Feature } from "../app.ts";
import { choose } from "../questions/ask.ts";
import { PagedLines } from "../questions/paged-lines.ts";
import { shownText } from "../text/shown-text.ts";
import { wholeDiff } from "../tools/result-lines.ts";

/** The first is preselected. */
const ANSWERS: readonly { value: ApprovalDecision; label: string }[] = [
  { value: "deny", label: "deny" },
  { value: "allow_once", label: "allow once" },
  { value: "allow_session", label: "allow in this session" },
  { value: "allow_always", label: "allow always" },
  { value: "deny_and_stop", label: "deny, and stop the run" },
];

const NEXT = { value: "next", label: "show the next rows" };

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
  const answers = ANSWERS.filter(({ value }) => narrow.length > 0 || !isKept(value)).map((answer) => ({
    ...answer,
    ...(isKept(answer.value) && { description: narrow.map(ruleText).join(", ") }),
  }));
  const { title, body } = shownRequest(app, asked);
  const items = body.hasMore ? [...answers, NEXT] : answers;
  const staysOpen = (value: string) => {
    if (value === NEXT.value) body.next();
    return value === NEXT.value;
  };
  for (;;) {
    const value = await choose(app, { title, items, staysOpen, signal });
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

interface ShownRequest {
  title(width: number): string[];
  /** The command or the change. */
  body: PagedLines;
}

/** What changes the meaning of a command comes after it, next to the answers: the top of a long question may be above the window. */
function shownRequest({ theme }: App, { request, reason }: ApprovalRequest): ShownRequest {
  const { title, command, paths = [], diff, escalation, annotations } = request;
  const commandLines = command ? shownText(command.text).split("\n") : [];
  const body = new PagedLines(
    [...commandLines.map((line) => theme.code(line)), ...(diff === undefined ? [] : wholeDiff(diff, theme))],
    theme,
  );
  const variables = Object.entries(command?.env ?? {}).map(([name, value]) => `with ${name}=${value}`);
  const warnings = [
    ...(command?.cwd === undefined ? [] : [`in ${command.cwd}`]),
    ...variables,
    ...(escalation === undefined ? [] : [`outside of the sandbox: ${escalation}`]),
    // The other hints would only calm, and need not be true.
    ...(annotations?.destructiveHint ? ["The server marks this tool as destructive."] : []),
  ];
  const facts = [
    ...paths.map(({ real, access }) => theme.dim(oneLine(`${access} ${real}`))),
    ...warnings.map((line) => theme.warning(oneLine(line))),
  ];
  const head = [theme.bold(oneLine(title)), theme.dim(oneLine(reason))];
  return { title: (width) => [...head, ...body.rows(width), ...facts], body };
}

const oneLine = (text: string): string => shownText(text).replaceAll("\n", " ");

function ruleText({ tool, command, path, kind }: Rules[number]): string {
  return oneLine([tool, kind, command, path].filter((part) => part !== undefined).join(" "));
}
