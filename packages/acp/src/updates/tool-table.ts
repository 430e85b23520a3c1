import { isAbsolute, resolve } from "node:path";
import type { ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import { cutText, isRecord } from "@pintle/ai";
import { visible } from "./visible-text.ts";

type Arguments = Readonly<Record<string, unknown>>;

interface ToolRow {
  kind: ToolKind;
  /** The title, in one line. Returns undefined if nothing is known yet. */
  title(args: Arguments): string | undefined;
}

const MAX_TITLE = 200;

const about = (word: string, field: string) => (args: Arguments) => {
  const value: unknown = Array.isArray(args[field]) ? args[field].join(", ") : args[field];
  return typeof value === "string" && value !== "" ? `${word} ${value}` : undefined;
};

/** How clients show the built-in tools. Other tools are shown by their names. */
const TOOLS: Readonly<Record<string, ToolRow>> = {
  read: { kind: "read", title: about("Read", "path") },
  ls: { kind: "read", title: about("List", "path") },
  grep: { kind: "search", title: about("Search for", "pattern") },
  find: { kind: "search", title: about("Find", "pattern") },
  ast_grep: { kind: "search", title: about("Search for", "pat") },
  edit: { kind: "edit", title: about("Edit", "path") },
  write: { kind: "edit", title: about("Write", "path") },
  ast_edit: { kind: "edit", title: about("Edit code in", "path") },
  resolve: { kind: "edit", title: about("Resolve:", "action") },
  bash: { kind: "execute", title: ({ command }) => (typeof command === "string" ? command : undefined) },
  task: { kind: "think", title: taskTitle },
  job: { kind: "execute", title: about("Background jobs:", "action") },
  todo_write: { kind: "think", title: () => "Update the plan" },
  ask: { kind: "think", title: () => "Ask" },
};

/** Returns what the subagents are to do, or how many there are. */
function taskTitle({ tasks, task, description }: Arguments): string | undefined {
  const all = Array.isArray(tasks) ? tasks.filter(isRecord) : [{ task, description }];
  const [first] = all;
  if (all.length > 1) return `Delegate ${all.length} tasks`;
  const text = first?.description ?? first?.task;
  return typeof text === "string" ? `Delegate: ${text}` : undefined;
}

export function toolKind(name: string): ToolKind {
  return Object.hasOwn(TOOLS, name) ? TOOLS[name]!.kind : "other";
}

/** Never empty, and always one line, because text written by a model must not look like something else. */
export function toolTitle(name: string, args: Arguments): string {
  const title = Object.hasOwn(TOOLS, name) ? TOOLS[name]!.title(args) : undefined;
  const line = (title ?? name).replace(/\s+/g, " ").trim();
  return cutText(visible(line === "" ? name : line), MAX_TITLE);
}

/** Returns the file that a call is about, so that the editor can follow it. */
export function locationsOf(args: Arguments, cwd: string): ToolCallLocation[] {
  const { path, offset } = args;
  if (typeof path !== "string" || path === "") return [];
  const line = Number.isInteger(offset) && (offset as number) > 0 ? { line: offset as number } : {};
  return [{ path: absolutePath(path, cwd), ...line }];
}

export function absolutePath(path: string, cwd: string): string {
  return isAbsolute(path) ? path : resolve(cwd, path);
}
