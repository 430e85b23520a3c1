import { cutText } from "../foundation/cut-text.ts";

const MAX_REQUESTS = 40;
const MAX_REQUEST_CHARS = 200;

/** Returns whether this is the request to summarize a conversation. */
export function asksForSummary(text: string): boolean {
  return text.includes("<conversation>");
}

/** Lists what the user asked for and which files were touched, after the content of an earlier summary. */
export function summarize(text: string): string {
  const conversation = element(text, "conversation");
  const requests = userRequests(conversation);
  const kept = requests.slice(-MAX_REQUESTS);
  const files = touchedFiles(conversation);
  return [
    element(text, "previous-summary").trim(),
    section("The user asked for:", [
      ...(requests.length > kept.length ? [`(${requests.length - kept.length} earlier requests)`] : []),
      ...(kept.length > 0 ? kept : ["(nothing)"]),
    ]),
    files.length > 0 ? section("Files:", files) : "",
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function section(title: string, items: readonly string[]): string {
  return [title, ...items.map((item) => `- ${item}`)].join("\n");
}

/** An element without a closing tag extends to the end of the text. */
function element(text: string, name: string): string {
  const start = text.indexOf(`<${name}>`);
  if (start < 0) return "";
  const end = text.lastIndexOf(`</${name}>`);
  return text.slice(start + name.length + 2, end > start ? end : undefined);
}

/** Matches `User: …`, `[User]: …`, `[Tool result]: …` at the start of a line. */
const LABEL = /^\[?(user|assistant|tool|system|developer)(?:[^\]\n:]{0,30}\])?:/gim;

function userRequests(conversation: string): string[] {
  const labels = [...conversation.matchAll(LABEL)];
  return labels.flatMap((label, index) => {
    if (label[1]?.toLowerCase() !== "user") return [];
    const request = conversation.slice(label.index + label[0].length, labels[index + 1]?.index);
    const line = request.replace(/\s+/g, " ").trim();
    return line === "" ? [] : [cut(line)];
  });
}

function cut(line: string): string {
  return cutText(line, MAX_REQUEST_CHARS);
}

/** Tool calls are written as `name(path="a.ts", …)`. */
function touchedFiles(conversation: string): string[] {
  const calls = conversation.matchAll(/\b(?:read|write|edit|ast_edit)\([^\n]*?\bpath="((?:[^"\\\n]|\\.)+)"/g);
  return [...new Set([...calls].map((call) => call[1] ?? ""))].sort();
}
