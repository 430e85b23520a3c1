import type { ApprovalDecision, ApprovalRequest } from "@pintle/client";
import type { App, Feature } from "../app.ts";
import { choose } from "../questions/ask.ts";
import { shownText } from "../text/shown-text.ts";
import { diffLines } from "../tools/result-lines.ts";

const MAX_COMMAND_LINES = 15;

const ANSWERS: readonly { value: ApprovalDecision; label: string }[] = [
  { value: "allow_once", label: "allow once" },
  { value: "allow_session", label: "allow in this session" },
  { value: "allow_always", label: "allow always" },
  { value: "deny", label: "deny" },
  { value: "deny_and_stop", label: "deny, and stop the run" },
];

/** Whether a tool call may run. Left without an answer, it may not. */
export const approvals: Feature = (app) => {
  app.onSession((session) => {
    session.onApproval(async (asked, { signal }) => {
      const { suggestedRules } = asked;
      // Without a rule that could be kept, there is only this call.
      const items = ANSWERS.filter(({ value }) => suggestedRules.length > 0 || !isKept(value)).map((answer) => ({
        ...answer,
        ...(isKept(answer.value) && { description: suggestedRules.map(ruleText).join(", ") }),
      }));
      const value = await choose(app, { title: titleOf(app, asked), items, signal });
      const decision = ANSWERS.find((answer) => answer.value === value)?.value ?? "deny";
      return isKept(decision) ? { decision, rules: suggestedRules } : { decision };
    });
  });
};

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

function ruleText({ tool, command, path, kind }: ApprovalRequest["suggestedRules"][number]): string {
  return shownText([tool, kind, command, path].filter((part) => part !== undefined).join(" ")).replaceAll("\n", " ");
}
