import type { RpcEvent } from "@pintle/client/core";
import { codeBlock } from "../../code/code-view.ts";
import { type Child, h } from "../../dom.ts";
import { money, shortNumber } from "../../format.ts";
import { PAUSES } from "../questions/question.ts";
import type { OpenSession } from "../state/open-session.ts";

interface Note {
  level: "info" | "warning" | "error";
  title: string;
  text?: Child;
  /** The MCP server that the note concerns; the note is removed when that server's state changes. */
  server?: string | undefined;
}

type Notes = { [T in RpcEvent["type"]]?: (event: Extract<RpcEvent, { type: T }>) => Note | undefined };

const NOTES: Notes = {
  notice: ({ level, message, source }) => ({
    level,
    title: source ?? "Notice",
    text: message,
    server: source === "mcp" ? /^MCP server "([^"]+)"/.exec(message)?.[1] : undefined,
  }),
  command_output: ({ command, text }) => ({
    level: "info",
    title: `/${command}`,
    text: codeBlock(text, { className: "output", label: `What /${command} says` }),
  }),
  extension_error: ({ extensionPath, event, error }) => ({
    level: "error",
    title: `An extension failed: ${extensionPath}`,
    text: `${event}: ${error}`,
  }),
  worker_exited: ({ code, signal, stderrTail }) => ({
    level: "error",
    title: `The process of the session ${signal === null ? `ended with code ${code}` : `was ended by ${signal}`}`,
    text: ["The next message starts it again.", stderrTail !== "" && codeBlock(stderrTail, { label: "stderr" })],
  }),
  session_failed: () => ({
    level: "error",
    title: "The process of the session keeps crashing",
    text: "It is not restarted until the session is opened again.",
  }),
  auto_retry_end: ({ success, finalError }) =>
    success ? undefined : { level: "error", title: "The model call failed", text: finalError ?? "" },
  auto_compaction_end: ({ errorMessage }) =>
    errorMessage === undefined ? undefined : { level: "warning", title: "The summary failed", text: errorMessage },
  retry_fallback_applied: ({ from, to }) => ({
    level: "warning",
    title: "Another model takes over",
    text: `${from} → ${to}`,
  }),
  budget_warning: ({ limit, used, max }) => ({
    level: "warning",
    title: "80% of the budget is used",
    text: amounts(limit, used, max),
  }),
  budget_reached: ({ limit, used, max, reason }) => ({
    level: "error",
    title: reason === undefined ? "The budget is exhausted" : PAUSES[reason],
    text: amounts(limit, used, max),
  }),
  output_rejected: ({ attempt, attemptsLeft, errors: [first] }) => ({
    level: "warning",
    title: `Output rejected (attempt ${attempt}, ${attemptsLeft} left)`,
    text: first && `${first.path === "" ? "(root)" : first.path}: ${first.message}`,
  }),
  prompt_result: (result) => {
    const { status, error, output, denials = [] } = result;
    if (status === "error" && error) return { level: "error", title: "The prompt failed", text: error.message };
    if (output === undefined && denials.length === 0) return undefined;
    return {
      level: denials.length > 0 ? "warning" : "info",
      title: output === undefined ? "The run ended with denied calls" : "Output",
      text: resultParts(result),
    };
  },
};

function resultParts({ output, denials = [], cost }: Extract<RpcEvent, { type: "prompt_result" }>): Child {
  return [
    output !== undefined && codeBlock(JSON.stringify(output, null, 2), { label: "Output" }),
    denials.map(({ tool, reason }) => h("div", {}, `Denied: ${tool} (${reason})`)),
    cost ? h("div", {}, `Cost of the run: ${money(cost)}`) : undefined,
  ];
}

/** Notes that are not stored in the conversation. They stay until they are dismissed, or until the next run. */
export function sideNotes(session: OpenSession): HTMLElement {
  const element = h("div", { class: "side-notes", role: "log", "aria-label": "Notices" });
  let hasResult = false;
  session.onEvent((event) => {
    if (event.type === "agent_start") {
      element.textContent = "";
      hasResult = false;
    }
    if (event.type === "mcp_status" && event.server.status !== "failed") forget(event.server.name);
    // Prompts that joined one run have the same result.
    if (event.type === "prompt_result" && event.agentInvoked) {
      if (hasResult) return;
      hasResult = true;
    }
    const note = (NOTES[event.type] as ((event: RpcEvent) => Note | undefined) | undefined)?.(event);
    if (note) element.append(noteElement(note));
  });
  /** The note refers to the state before a login or another attempt. */
  function forget(server: string): void {
    for (const note of [...element.children])
      if (note instanceof HTMLElement && note.dataset.server === server) note.remove();
  }
  return element;
}

function noteElement({ level, title, text, server }: Note): HTMLElement {
  const element: HTMLElement = h(
    "div",
    { class: `side-note is-${level}`, "data-server": server },
    h("div", { class: "side-note-body" }, h("strong", {}, title), h("div", { class: "side-note-text" }, text)),
    h(
      "button",
      { type: "button", class: "quiet-button", "aria-label": `Dismiss: ${title}`, onclick: () => element.remove() },
      "×",
    ),
  );
  return element;
}

function amounts(limit: string, used: number, max: number): string {
  const shown = (value: number) => (limit === "costUsd" ? money(value) : shortNumber(value));
  return `${limit}: ${shown(used)} of ${shown(max)}`;
}
