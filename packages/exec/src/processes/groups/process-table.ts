import { readdirSync, readFileSync } from "node:fs";

export interface ProcessFacts {
  pid: number;
  group: number;
}

/**
 * Returns the living processes of the given sessions, by session. A command is started in a session of its own, and some programs
 * (`timeout`, a shell with job control) create another group inside it, which a signal to the first group does not reach. Returns
 * undefined without /proc, where only the group itself is known.
 */
export function findSessionMembers(sessions: ReadonlySet<number>): Map<number, ProcessFacts[]> | undefined {
  const pids = listProcesses();
  if (!pids) return undefined;
  const members = new Map<number, ProcessFacts[]>();
  for (const pid of pids) {
    const facts = readFacts(pid);
    if (!facts || !sessions.has(facts.session)) continue;
    const known = members.get(facts.session);
    if (known) known.push({ pid, group: facts.group });
    else members.set(facts.session, [{ pid, group: facts.group }]);
  }
  return members;
}

function listProcesses(): number[] | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return undefined; // not mounted, as in some containers
  }
}

/** Returns undefined if the process is gone, or a zombie. */
function readFacts(pid: number): { group: number; session: number } | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return undefined; // exited since the directory was listed
  }
  // "pid (name) state parent group session …"; the name may contain anything, including brackets.
  const [state, , group, session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ", 4);
  if (state === "Z" || state === "X") return undefined;
  return { group: Number(group), session: Number(session) };
}
