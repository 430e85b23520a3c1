import { homedir } from "node:os";
import { changeDirectory } from "../cli/change-directory.ts";
import { complain, printText } from "../cli/print.ts";
import { sessionTable } from "../cli/session-table.ts";
import { UsageError } from "../cli/usage-error.ts";
import { openStoredSessions } from "../session/opening/open-stored.ts";
import type { CallOf } from "./subcommand-flags.ts";

const DEFAULT_LIMIT = 50;

/** Runs `pintle sessions [query]`, which lists stored sessions, the most recently written first. */
export async function run({ flags, words, env }: Pick<CallOf<"sessions">, "flags" | "words" | "env">): Promise<number> {
  changeDirectory(flags.cwd);
  const cwd = process.cwd();
  const store = openStoredSessions({ cwd, env, sessionDir: flags["session-dir"], report: complain });
  const { sessions, nextCursor } = await store.page({
    query: words.join(" "),
    limit: readLimit(flags.limit) ?? (flags.json ? Number.POSITIVE_INFINITY : DEFAULT_LIMIT),
    ...(!flags.all && { cwd }),
  });
  if (flags.json) {
    const rows = sessions.map(({ path, modifiedAt, hasMessages: _, ...session }) => ({
      ...session,
      path,
      updatedAt: new Date(modifiedAt).toISOString(),
    }));
    await printText(`${JSON.stringify(rows, null, 2)}\n`);
    return 0;
  }
  if (sessions.length === 0)
    complain(flags.all ? "no session matches" : "no session in this directory matches; --all searches all directories");
  else {
    const short = await store.shortIds(sessions.map(({ id }) => id));
    const rows = sessions.map((session) => ({ ...session, id: short.get(session.id) ?? session.id }));
    await printText(sessionTable(rows, { now: Date.now(), home: env.HOME || homedir() }));
  }
  if (nextCursor !== undefined) complain(`there are more than ${sessions.length}; --limit 0 lists all`);
  return 0;
}

function readLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw new UsageError(`--limit takes a number, not "${text}"`);
  return Number(text) || Number.POSITIVE_INFINITY;
}
