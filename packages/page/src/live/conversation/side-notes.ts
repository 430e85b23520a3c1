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
  /** The MCP server that it tells of: it is over when that has another state. */
  server?: string | undefined;
}

type Notes = { [T in RpcEvent["type"]]?: (event: Extract<RpcEvent, { type: T }>) => Note | undefined };

const NOTES: Notes = {
  notice: ({ level, message, source }) => ({
    ...{ level, title: source ?? "Notice", text: message },
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
    title: `The process of the session ${signal === null ? `has ended with code ${code}` : `was ended by ${signal}`}`,
    text: ["The next message starts it again.", stderrTail !== "" && codeBlock(stderrTail, { label: "stderr" })],
  }),
  session_failed: () => ({
    level: "error",
    title: "The process of the session ends again and again",
    text: "It is not started any more until the session is opened anew.",
  }),
  auto_retry_end: ({ success, finalError }) =>
    success ? undefined : { level: "error", title: "The model call failed for good", text: finalError ?? "" },
  auto_compaction_end: ({ errorMessage }) =>
    errorMessage === undefined ? undefined : { level: "warning", title: "The summary failed", text: errorMessage },
  retry_fallback_applied: ({ from, to }) => ({
    level: "warning",
    title: "Another model takes over",
    text: `${from} → ${to}`,
  }),
  budget_warning: ({ limit, used, max }) => ({
    level: "warning",
    title: "Four fifths of the budget are used",
    text: amounts(limit, used, max),
  }),
  budget_reached: ({ limit, used, max, reason }) => ({
    level: "error",
    title: reason === undefined ? "The budget is used up" : PAUSES[reason],
    text: amounts(limit, used, max),
  }),
  prompt_result: ({ status, error }) =>
    status === "error" && error ? { level: "error", title: "The prompt failed", text: error.message } : undefined,
};

/** What is told beside the conversation and not stored in it. It stays until it is read, or until the next run. */
export function sideNotes(session: OpenSession): HTMLElement {
  const element = h("div", { class: "side-notes", role: "log", "aria-label": "Notices" });
  session.onEvent((event) => {
    if (event.type === "agent_start") element.textContent = "";
    if (event.type === "mcp_status" && event.server.status !== "failed") forget(event.server.name);
    const note = (NOTES[event.type] as ((event: RpcEvent) => Note | undefined) | undefined)?.(event);
    if (note) element.append(noteElement(note));
  });
  /** What was told of it was before a login, or another attempt. */
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
