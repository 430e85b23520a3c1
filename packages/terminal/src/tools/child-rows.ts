import type { AgentToolResult, SubagentProgress } from "@pintle/client";
import { duration } from "../feed/spinner.ts";
import type { Theme } from "../screen/theme.ts";
import { dollars, tokenCount } from "../status/amounts.ts";
import { isRecord } from "../text/is-record.ts";
import { shownText } from "../text/shown-text.ts";

/** More subagents than this are counted. */
const MAX_ROWS = 8;

/** Returns a line for each subagent of a running `task` call, or undefined for any other call. */
export function childRows({ details }: AgentToolResult, theme: Theme): string[] | undefined {
  if (!isRecord(details) || !Array.isArray(details.progress)) return undefined;
  const children = details.progress as SubagentProgress[]; // from the engine, which checks what it sends
  const rows = children.slice(0, MAX_ROWS).map((child) => row(child, theme));
  return children.length > MAX_ROWS ? [...rows, theme.dim(`… ${children.length - MAX_ROWS} more`)] : rows;
}

function row(child: SubagentProgress, theme: Theme): string {
  const { id, agent, status, currentTool, currentToolArgs, tokens, cost, durationMs } = child;
  const doing = currentTool === undefined ? status : `${currentTool} ${currentToolArgs ?? ""}`.trim();
  const facts = [
    ...(tokens > 0 ? [`${tokenCount(tokens)} tokens`] : []),
    ...(cost > 0 ? [dollars(cost)] : []),
    ...(duration(durationMs) === "" ? [] : [duration(durationMs)]),
  ];
  const name = theme.bold(oneLine(id));
  return `${sign(status, theme)} ${name} ${theme.dim(agent)} ${oneLine(doing)}${theme.dim(facts.map((fact) => ` · ${fact}`).join(""))}`;
}

function sign(status: SubagentProgress["status"], theme: Theme): string {
  if (status === "completed") return theme.success("✓");
  if (status === "failed") return theme.failure("✗");
  return status === "aborted" ? theme.warning("–") : theme.accent(status === "running" ? "●" : "○");
}

const oneLine = (text: string) => shownText(text).replaceAll("\n", " ");
