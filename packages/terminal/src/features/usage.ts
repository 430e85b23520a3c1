import type { SessionStats, TokenCounts } from "@pintle/client";
import type { Feature } from "../app.ts";

/** Implements `/cost`, which shows what the session has used so far. */
export const usage: Feature = (app) => {
  app.commands.add({
    name: "cost",
    description: "tokens and money the session has used",
    run: async () => {
      const stats = await app.session?.getSessionStats();
      if (stats) app.say(usageText(stats));
    },
  });
};

function usageText({
  lifetime,
  contextUsage,
  userMessages,
  assistantMessages,
  toolCalls,
  budget,
}: SessionStats): string {
  const context =
    contextUsage && contextUsage.percent !== null
      ? [`Context   ${Math.round(contextUsage.percent)} % of ${contextUsage.contextWindow.toLocaleString("en")} tokens`]
      : [];
  return [
    `Cost      $${lifetime.cost.toFixed(4)}`,
    `Tokens    ${tokenText(lifetime.tokens)}`,
    ...context,
    `Messages  ${userMessages} from you, ${assistantMessages} answers, ${toolCalls} tool calls`,
    ...(budget ? [`Budget    ${JSON.stringify(budget)}`] : []),
  ].join("\n");
}

function tokenText({ input, output, cacheRead, cacheWrite }: TokenCounts): string {
  const parts: readonly (readonly [number, string])[] = [
    [input, "input"],
    [output, "output"],
    [cacheRead, "read from the cache"],
    [cacheWrite, "written to the cache"],
  ];
  const used = parts.filter(([count]) => count > 0).map(([count, what]) => `${count.toLocaleString("en")} ${what}`);
  return used.length === 0 ? "none" : used.join(", ");
}
