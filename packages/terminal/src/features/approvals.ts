import type { ApprovalDecision, ApprovalRequest } from "@pintle/client";
import type { App, Feature } from "../app.ts";
import { codeRows } from "../code/code-rows.ts";
import { tokenLines } from "../code/fence-highlighter.ts";
import { askLine, choose } from "../questions/ask.ts";
import type { ChoiceItem } from "../questions/choice.ts";
import { PagedLines } from "../questions/paged-lines.ts";
import { showInPager } from "../screen/pager.ts";
import { shownText } from "../text/shown-text.ts";
import { wrapped } from "../text/wrap.ts";
import { DiffRows } from "../tools/diff-rows.ts";

/** The first one is preselected. */
const ANSWERS: readonly (ChoiceItem & { value: ApprovalDecision })[] = [
  { value: "deny", label: "deny", key: "n" },
  { value: "allow_once", label: "allow once", key: "y" },
  { value: "allow_session", label: "allow in this session" },
  { value: "allow_always", label: "allow always" },
  { value: "deny_and_stop", label: "deny, and stop the run" },
];
const NEXT: ChoiceItem = { value: "next", label: "show the next rows" };
const NOTE: ChoiceItem = { value: "note", label: "deny with a note for the model", key: "e", isKeyOnly: true };
const VIEW: ChoiceItem = { value: "view", label: "view everything", key: "v", isKeyOnly: true };
/** A width for the pager, which wraps longer lines itself. */
const PAGER_WIDTH = 1_000;

/** Asks whether a tool call may run. If the user leaves without an answer, it may not. */
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
  // Without a rule to store, the answer can only be about this call.
  const answers = ANSWERS.filter(({ value }) => narrow.length > 0 || !isStored(value));
  const { title, body, all } = shownRequest(app, asked, narrow);
  const items = [...answers, ...(body.hasMore ? [NEXT] : []), NOTE, VIEW];
  const staysOpen = (value: string) => {
    if (value === NEXT.value) body.next();
    if (value === VIEW.value) app.lend(() => showInPager(all(), app.options.env)).catch((error) => app.report(error));
    return value === NEXT.value || value === VIEW.value;
  };
  for (;;) {
    const value = await choose(app, { title, items, staysOpen, signal });
    if (value === NOTE.value) {
      const note = await askLine(app, { title: "Deny, and tell the model:", signal, isOpenedByUser: true });
      if (note !== undefined && note.trim() !== "") return { decision: "deny" as const, note: note.trim() };
      if (signal.aborted) return { decision: "deny" as const };
      continue;
    }
    const decision = ANSWERS.find((answer) => answer.value === value)?.value ?? "deny";
    if (decision !== "allow_always") return isStored(decision) ? { decision, rules: narrow } : { decision };
    const rules = await chooseStored(app, groups, signal);
    if (rules) return { decision, rules };
    if (signal.aborted) return { decision: "deny" as const };
  }
}

interface RuleGroup {
  label: string;
  rules: Rules;
}

/** Groups rules, the narrowest first. A broad rule allows more than the call in question. */
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
  // The user has just asked for it, so it keeps the keyboard focus; the preselected answer stores nothing.
  const chosen = await choose(app, { title, items: [none, ...items], signal, isOpenedByUser: true });
  return groups.find(({ label }) => label === chosen)?.rules;
}

function isStored(decision: ApprovalDecision): boolean {
  return decision === "allow_session" || decision === "allow_always";
}

interface ShownRequest {
  title(width: number): string[];
  /** The command or the change. */
  body: PagedLines;
  /** Returns everything about the request, for the pager. */
  all(): string[];
}

/**
 * Lays a request out. Facts that change the meaning of a command come after it, next to the answers: the top of a long
 * question may be above the window.
 */
function shownRequest(app: App, { request, reason }: ApprovalRequest, narrow: Rules): ShownRequest {
  const { theme } = app;
  const { tool, title, command, paths = [], escalation, annotations } = request;
  const layout = layoutOf(app, request);
  const body = new PagedLines(layout, theme);
  const variables = Object.entries(command?.env ?? {}).map(([name, value]) => `with ${name}=${value}`);
  const warnings = [
    ...(command?.cwd === undefined ? [] : [`in ${command.cwd}`]),
    ...variables,
    ...(escalation === undefined ? [] : [`outside the sandbox: ${escalation}`]),
    // Other annotations could only reassure the user, and may be false.
    ...(annotations?.destructiveHint ? ["The server marks this tool as destructive."] : []),
  ];
  const facts = [
    ...paths.map(({ real, access }) => theme.dim(oneLine(`${access} ${real}`))),
    ...warnings.map((line) => theme.warning(oneLine(line))),
  ];
  const stored = narrow.length === 0 ? [] : [theme.dim("Allowed in this session or always:"), ...narrow.map(ruleText)];
  const heading = command ? `${tool}: may this command run?` : title;
  const head = [
    theme.warning(theme.bold(oneLine(heading))),
    theme.dim(`Asked because of ${oneLine(reason).replaceAll("`", "")}`),
  ];
  const rows = (lines: readonly string[], width: number) => lines.flatMap((line) => wrapped(line, width));
  return {
    title: (width) => [...rows(head, width), ...body.rows(width), ...rows([...facts, ...stored], width)],
    body,
    all: () => [...head, "", ...layout(PAGER_WIDTH), "", ...facts, ...stored],
  };
}

/** Lays out the command, highlighted as soon as the grammars are loaded, and the change. */
function layoutOf(app: App, { command, diff }: ApprovalRequest["request"]): (width: number) => string[] {
  const { theme, highlighting } = app;
  const changes = diff === undefined ? undefined : new DiffRows(diff, theme);
  const text = command && shownText(command.text);
  if (text !== undefined) highlighting.load(() => app.redraw());
  const commandRows = (width: number) => {
    if (text === undefined) return [];
    const { highlight } = highlighting;
    if (!highlight) return text.split("\n").flatMap((line) => wrapped(theme.code(line), width));
    return tokenLines(highlight(text, "bash")).flatMap((line) => codeRows(line, width, theme));
  };
  return (width) => [...commandRows(width), ...(changes?.all(width) ?? [])];
}

const oneLine = (text: string): string => shownText(text).replaceAll("\n", " ");

function ruleText({ tool, command, path, kind, project }: Rules[number]): string {
  const scope = project === undefined ? [] : [`(in ${project})`];
  return oneLine([tool, kind, command, path, ...scope].filter((part) => part !== undefined).join(" "));
}
