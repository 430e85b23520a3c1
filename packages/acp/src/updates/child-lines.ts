import { isRecord } from "@pintle/ai";
import type { SubagentProgress } from "@pintle/client/core";
import { visible } from "./visible-text.ts";

/** Returns a line for each subagent of a running `task` call, as Markdown, or undefined for any other call. */
export function childLines(details: unknown): string | undefined {
  if (!isRecord(details) || !Array.isArray(details.progress)) return undefined;
  const children = details.progress as SubagentProgress[]; // from our own engine
  return children.map((child) => `- ${line(child)}`).join("\n");
}

function line({
  id,
  agent,
  status,
  description,
  currentTool,
  currentToolArgs,
  tokens,
  cost,
}: SubagentProgress): string {
  const doing = currentTool === undefined ? status : `${currentTool} ${currentToolArgs ?? ""}`.trim();
  const facts = [
    `**${id}** (${agent})`,
    ...(description === undefined ? [] : [description]),
    doing,
    ...(tokens > 0 ? [`${tokens.toLocaleString("en-US")} tokens`] : []),
    ...(cost > 0 ? [`$${cost.toFixed(4)}`] : []),
  ];
  return facts.map((fact) => visible(fact).replace(/\s+/g, " ")).join(" · ");
}
