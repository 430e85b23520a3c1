import { isRecord } from "../text/is-record.ts";
import { shownText } from "../text/shown-text.ts";

type Arguments = Readonly<Record<string, unknown>>;

/** The arguments that describe a call, by tool. */
const TITLES: Readonly<Record<string, (args: Arguments) => unknown[]>> = {
  bash: ({ command }) => [command],
  "!": ({ command }) => [command],
  read: ({ path, offset }) => [path, offset === undefined ? "" : `from line ${offset}`],
  write: ({ path }) => [path],
  edit: ({ path }) => [path],
  ls: ({ path }) => [path],
  grep: ({ pattern, path }) => [pattern, path],
  find: ({ pattern, path }) => [pattern, path],
  ast_grep: ({ pattern, path }) => [pattern, path],
  ast_edit: ({ path }) => [path],
  resolve: ({ reason }) => [reason],
  task: ({ tasks, task, description }) => taskTitle(Array.isArray(tasks) ? tasks : [{ task, description }]),
  todo_write: () => [],
  ask: () => [],
};
const MAX_CHARACTERS = 2_000;

function taskTitle(tasks: readonly unknown[]): unknown[] {
  const [first, ...others] = tasks.filter(isRecord);
  return [first?.description ?? first?.task, others.length > 0 ? `and ${others.length} more` : ""];
}

/** Returns one line about a call. The arguments may be incomplete and of any type. */
export function callTitle(toolName: string, args: unknown): string {
  const given: Arguments = typeof args === "object" && args !== null ? { ...args } : {};
  const own = Object.hasOwn(TITLES, toolName) ? TITLES[toolName] : undefined;
  const parts = own ? own(given) : Object.entries(given).map(([name, value]) => `${name}=${plain(value)}`);
  const text = parts.flatMap((part) => (part === undefined || part === "" ? [] : [plain(part)])).join(" ");
  return shownText(text.slice(0, MAX_CHARACTERS)).replaceAll("\n", " ⏎ ");
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
