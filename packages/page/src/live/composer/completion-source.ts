import type { AvailableCommand } from "@pintle/client/core";
import type { OpenSession } from "../state/open-session.ts";
import { PAGE_COMMANDS } from "./page-commands.ts";

export interface Suggestion {
  /** Replaces the typed text. */
  text: string;
  label: string;
  hint?: string;
  /** True for a directory, which can be completed further. */
  isOpen?: boolean;
}

/** The text before the cursor that can be completed. */
export interface Typed {
  kind: "command" | "path";
  start: number;
  query: string;
}

type Command = Pick<AvailableCommand, "name" | "description" | "aliases" | "input">;

const MOST = 12;

/** Completes a slash command at the start of the message, or a path after an @ at the start of a word. */
export function readTyped(text: string, cursor: number): Typed | undefined {
  const before = text.slice(0, cursor);
  const command = /^\/([\w:.-]*)$/.exec(before);
  if (command) return { kind: "command", start: 0, query: command[1] ?? "" };
  const path = /(?:^|[\s([{])@([^\s@]*)$/.exec(before);
  return path ? { kind: "path", start: cursor - (path[1] ?? "").length - 1, query: path[1] ?? "" } : undefined;
}

const SOURCES: Record<Typed["kind"], (session: OpenSession, query: string) => Promise<Suggestion[]>> = {
  async command({ rpc }, query) {
    const { commands: ofSession } = await rpc.getAvailableCommands();
    const own = Object.entries(PAGE_COMMANDS).filter(([name]) => !ofSession.some((command) => command.name === name));
    const commands: Command[] = [
      ...ofSession,
      ...own.map(([name, { description, hint }]) => ({ name, description, ...(hint && { input: { hint } }) })),
    ];
    const wanted = query.toLowerCase();
    const rank = (name: string) => (name.startsWith(wanted) ? 0 : 1);
    return commands
      .filter(({ name, aliases = [] }) => [name, ...aliases].some((known) => known.toLowerCase().includes(wanted)))
      .sort((a, b) => rank(a.name) - rank(b.name))
      .map(({ name, description, input }) => ({
        text: `/${name} `,
        label: `/${name}${input ? ` ${input.hint}` : ""}`,
        ...(description !== undefined && { hint: description }),
      }));
  },
  async path({ rpc }, query) {
    const { paths } = await rpc.completePath(query, { limit: MOST });
    return paths.map(({ path, isDirectory }) => ({
      text: isDirectory ? `@${path}` : `@${path} `,
      label: path,
      isOpen: isDirectory,
    }));
  },
};

export async function suggestions(session: OpenSession, { kind, query }: Typed): Promise<Suggestion[]> {
  return (await SOURCES[kind](session, query)).slice(0, MOST);
}
