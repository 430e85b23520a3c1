import type { RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { isRecord } from "@pintle/ai";
import type { Frame } from "../gateway-link.ts";
import { textContent } from "../updates/content.ts";
import { visible } from "../updates/visible-text.ts";

/** Asks whether project code may run. This happens before any tool call, so it needs a question of its own. */
export function trustQuestion({ id, project, items }: Frame): Omit<RequestPermissionRequest, "sessionId"> {
  const lines = (Array.isArray(items) ? items : []).flatMap((item: unknown) =>
    isRecord(item) ? [visible(`- ${String(item.kind)}: ${String(item.name)} (${String(item.path)})`)] : [],
  );
  return {
    toolCall: {
      toolCallId: String(id),
      title: `Trust the code of ${visible(String(project))}?`,
      kind: "other",
      status: "pending",
      content: [textContent(["The project contains code that runs with your rights:", ...lines].join("\n"))],
    },
    options: [
      { optionId: "refuse", name: "Do not run it", kind: "reject_once" },
      { optionId: "trust", name: "Trust it this time", kind: "allow_once" },
      { optionId: "trust_always", name: "Trust it until it changes", kind: "allow_always" },
    ],
  };
}

export function trustAnswer(optionId: string | undefined): { trusted: boolean; remember?: boolean } {
  if (optionId === "trust") return { trusted: true, remember: false };
  if (optionId === "trust_always") return { trusted: true, remember: true };
  return { trusted: false };
}
