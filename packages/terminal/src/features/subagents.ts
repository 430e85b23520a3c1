import type { AgentMessage, RpcCore, SubagentSnapshot } from "@pintle/client";
import type { App, Feature } from "../app.ts";
import { choose, pick } from "../questions/ask.ts";
import { showInPager } from "../screen/pager.ts";
import { dollars, tokenCount } from "../status/amounts.ts";
import { shownText } from "../text/shown-text.ts";
import { truncated } from "../text/width.ts";
import { callTitle } from "../tools/call-title.ts";
import { resultText } from "../tools/result-lines.ts";

/** Lists the subagents of the session, shows what one did, and stops it. */
export const subagents: Feature = (app) => {
  app.commands.add({
    name: "agents",
    description: "subagents: read what they do, stop them",
    run: () => pickSubagent(app),
  });
};

async function pickSubagent(app: App): Promise<void> {
  const { session } = app;
  if (!session) return;
  const { subagents: all } = await session.getSubagents({ all: true });
  if (all.length === 0) return app.say("No subagent has run in this session.");
  const items = all.toReversed().map((child) => ({
    value: child.id,
    label: oneLine(`${child.id} (${child.agent})`),
    description: factsOf(child),
  }));
  const title = [app.theme.bold("Subagents"), app.theme.dim("enter shows what one did, and can stop it")];
  const id = await pick(app, { title, items });
  const chosen = all.find((child) => child.id === id);
  if (chosen) await viewSubagent(app, session, chosen);
}

function factsOf({ status, progress, cost, description, assignment, task }: SubagentSnapshot): string {
  const tokens = progress?.tokens ?? 0;
  const facts = [
    status,
    ...(tokens > 0 ? [`${tokenCount(tokens)} tokens`] : []),
    ...(cost > 0 ? [dollars(cost)] : []),
    description ?? assignment ?? task ?? "",
  ];
  return oneLine(facts.filter((fact) => fact !== "").join(", "));
}

async function viewSubagent(app: App, session: RpcCore, child: SubagentSnapshot): Promise<void> {
  const { theme } = app;
  const isActive = child.status === "running" || child.status === "pending";
  const title = (width: number) => [
    truncated(`${theme.bold(oneLine(child.id))}${theme.dim(` ${factsOf(child)}`)}`, width),
  ];
  const items = [
    { value: "view", label: "what it did, in the pager", key: "v" },
    ...(isActive ? [{ value: "stop", label: "stop it", key: "x" }] : []),
    { value: "close", label: "close" },
  ];
  const value = await choose(app, { title, items, isOpenedByUser: true });
  if (value === "stop") await session.abortSubagent(child.id);
  if (value === "view") {
    const { messages } = await session.getSubagentMessages({ subagentId: child.id });
    await app.lend(() => showInPager(messages.flatMap(linesOf), app.options.env));
  }
}

/** Returns a message as plain text, with an empty line after it. */
function linesOf(message: AgentMessage): string[] {
  if (message.role === "user") return [...lines(`❯ ${textOf(message.content)}`), ""];
  if (message.role === "toolResult") return [...lines(resultText(message)).map((line) => `  ${line}`), ""];
  if (message.role !== "assistant") return [];
  const parts = message.content.flatMap((block) => {
    if (block.type === "text") return lines(block.text);
    return block.type === "toolCall" ? [`• ${shownText(block.name)} ${callTitle(block.name, block.arguments)}`] : [];
  });
  return parts.length === 0 ? [] : [...parts, ""];
}

function textOf(content: string | readonly { type: string; text?: unknown }[]): string {
  if (typeof content === "string") return content;
  return content.flatMap(({ text }) => (typeof text === "string" ? [text] : [])).join("\n");
}

const lines = (text: string): string[] => shownText(text).trimEnd().split("\n");
const oneLine = (text: string): string => shownText(text).replaceAll("\n", " ");
