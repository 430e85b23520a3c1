import { loadavg } from "node:os";
import { median } from "../support/table.ts";
import { endAllHosts } from "./host.ts";
import type { Bench, Figures, Row } from "./row.ts";
import type { Absent, Subject, SubjectName } from "./subjects.ts";

/** A figure, or why there is none. */
export type Cell = number | string;

export interface RowResult {
  row: string;
  /** Load of the machine, at the beginning and at the end. */
  load: [number, number];
  /** Every round, for readers who want more than the median. */
  raw: Partial<Record<SubjectName, Figures[]>>;
  /** By metric, then by subject. */
  cells: Record<string, Partial<Record<SubjectName, Cell>>>;
}

/** A subject that takes longer for one measurement is skipped. */
const LIMIT_MS = 90_000;

/** Round by round, all subjects in each, so that other load affects all. */
export async function measureRow(
  row: Row,
  subjects: readonly Subject[],
  absent: readonly Absent[],
  bench: Bench,
): Promise<RowResult> {
  const taking = subjects.filter(({ name }) => row.isModal || name !== "pintle delta");
  const load = loadavg()[0]!;
  const raw: RowResult["raw"] = {};
  const faults: Partial<Record<SubjectName, string>> = Object.fromEntries(
    absent.map(({ name, reason }) => [name, reason]),
  );
  for (let round = 0; round < row.rounds; round += 1) {
    for (const subject of taking) {
      if (faults[subject.name] !== undefined) continue;
      try {
        const figures = await withLimit(row.measure(subject, bench));
        raw[subject.name] = [...(raw[subject.name] ?? []), figures];
      } catch (error) {
        faults[subject.name] = (error as Error).message.split("\n")[0]!;
      } finally {
        await endAllHosts();
      }
      process.stderr.write(".");
    }
  }
  process.stderr.write("\n");
  const cellOf = (name: SubjectName, metric: string): Cell => {
    if (faults[name] !== undefined) return faults[name];
    return median((raw[name] ?? []).map((figures) => figures[metric] ?? Number.NaN));
  };
  const names = [...taking.map(({ name }) => name), ...absent.map(({ name }) => name)];
  const cells = Object.fromEntries(
    Object.keys(row.metrics).map((metric) => [
      metric,
      Object.fromEntries(names.map((name) => [name, cellOf(name, metric)])),
    ]),
  );
  return { row: row.name, load: [load, loadavg()[0]!], raw, cells };
}

async function withLimit<T>(job: Promise<T>): Promise<T> {
  const timer = Promise.withResolvers<never>();
  const handle = setTimeout(() => timer.reject(new Error(`over ${LIMIT_MS / 1000} s`)), LIMIT_MS);
  try {
    return await Promise.race([job, timer.promise]);
  } finally {
    clearTimeout(handle);
  }
}
