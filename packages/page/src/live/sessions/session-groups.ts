import type { ServedSession } from "@pintle/client/core";
import { shortDirectory } from "./session-rows.ts";

const DAY = 24 * 60 * 60 * 1000;
/** The maximum number of calendar days before today for each group. */
const DATES: readonly (readonly [most: number, name: string])[] = [
  [0, "Today"],
  [1, "Yesterday"],
  [7, "Previous 7 days"],
  [30, "Previous 30 days"],
];
const OLDER = "Older";

export interface SessionGroup {
  /** The date, or the date and the project if there are several. */
  heading: string;
  sessions: ServedSession[];
}

/** Groups sessions by date and then by project. Groups and their sessions keep the order of the list. */
export function groupSessions(
  sessions: readonly ServedSession[],
  { roots, now }: { roots: readonly string[]; now: number },
): SessionGroup[] {
  const hasProjects = new Set(sessions.map(({ cwd }) => cwd)).size > 1;
  const dates = new Map<string, Map<string, ServedSession[]>>();
  for (const session of sessions) {
    const date = dateName(Date.parse(session.updatedAt), now);
    const projects = dates.get(date) ?? new Map<string, ServedSession[]>();
    dates.set(date, projects);
    projects.set(session.cwd, [...(projects.get(session.cwd) ?? []), session]);
  }
  return [...dates].flatMap(([date, projects]) =>
    [...projects].map(([cwd, own]) => ({
      heading: hasProjects ? `${date} · ${shortDirectory(cwd, roots)}` : date,
      sessions: own,
    })),
  );
}

function dateName(at: number, now: number): string {
  const days = Math.round((startOfDay(now) - startOfDay(at)) / DAY); // a day of a clock change has 23 or 25 hours
  return DATES.find(([most]) => days <= most)?.[1] ?? OLDER;
}

function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}
