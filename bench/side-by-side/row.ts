import { Host } from "./host.ts";
import type { ModelServer } from "./model-server.ts";
import type { Subject, SubjectName } from "./subjects.ts";

export interface Goal {
  subject: SubjectName;
  /** A multiple of the floor, or the value itself. */
  of: "floor" | "value";
  limit: number;
  isMinimum?: true;
}

export interface Metric {
  title: string;
  unit: "ms" | "MB" | "/s" | "";
  goals?: readonly Goal[];
  /** Larger figures are better. */
  isRate?: true;
}

export type Figures = Record<string, number>;

export interface Bench {
  server: ModelServer;
  /** For files of the rows. */
  scratch: string;
}

/** Measured for every subject in the same way. */
export interface Row {
  /** The argument that selects it. */
  name: string;
  title: string;
  /** Subjects take turns, round by round; the median is reported. */
  rounds: number;
  /** Differs between the update modes; otherwise the program is measured in its default mode only. */
  isModal?: true;
  metrics: Readonly<Record<string, Metric>>;
  measure(subject: Subject, bench: Bench): Promise<Figures>;
}

export const atMostFloor = (limit: number, ...subjects: SubjectName[]): Goal[] =>
  subjects.map((subject) => ({ subject, of: "floor", limit }));

export const atMost = (limit: number, ...subjects: SubjectName[]): Goal[] =>
  subjects.map((subject) => ({ subject, of: "value", limit }));

export const atLeastFloor = (limit: number, ...subjects: SubjectName[]): Goal[] =>
  subjects.map((subject) => ({ subject, of: "floor", limit, isMinimum: true }));

/** Started, responsive, and in the subject's mode. */
export async function openHost(subject: Subject, args: readonly string[] = []): Promise<Host> {
  const host = new Host(subject, args);
  await host.call("get_state");
  for (const { type, ...params } of subject.setUp as { type: string }[]) await host.call(type, params);
  return host;
}

/** Like `openHost`, with everything loaded that a first prompt loads. */
export async function openWarmHost(subject: Subject, { server }: Bench, warmUp: string): Promise<Host> {
  const host = await openHost(subject);
  server.answer = () => warmUp;
  await host.prompt("warm up");
  return host;
}
