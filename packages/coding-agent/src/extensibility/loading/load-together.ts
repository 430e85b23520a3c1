import { within, withinTime } from "@pintle/foundation";
import { describeThrown } from "./load-fault.ts";

export interface LoadLimits {
  /** How long the start of a session waits for all modules together. */
  readyMs: number;
  /** After this time a module has failed. */
  giveUpMs: number;
}

const LOAD_LIMITS: LoadLimits = { readyMs: 5_000, giveUpMs: 30_000 };

/** The outcome of loading one source. */
export type Loaded<S, T> = { source: S } & ({ value: T } | { error: string });

export interface LoadedTogether<S, T> {
  /** In the order of the sources. */
  inTime: Loaded<S, T>[];
  /** One promise for each of the others; they never reject. */
  late: Promise<Loaded<S, T>>[];
}

/** Starts all loads at once and waits for them until the limit. Late ones are still delivered. */
export async function loadTogether<S, T>(
  sources: readonly S[],
  load: (source: S) => Promise<T>,
  { readyMs, giveUpMs }: LoadLimits = LOAD_LIMITS,
): Promise<LoadedTogether<S, T>> {
  const ended = new Map<S, Loaded<S, T>>();
  const loads = sources.map(async (source) => {
    const loaded = await settle(source, load, giveUpMs);
    ended.set(source, loaded);
    return loaded;
  });
  await within(readyMs, Promise.all(loads));
  return {
    inTime: sources.flatMap((source) => ended.get(source) ?? []),
    late: loads.filter((_, index) => !ended.has(sources[index]!)),
  };
}

async function settle<S, T>(source: S, load: (source: S) => Promise<T>, giveUpMs: number): Promise<Loaded<S, T>> {
  // A module that hangs must not keep the process alive.
  const limit = { ms: giveUpMs, text: "Still loading after", keepsAlive: false };
  try {
    return { source, value: await withinTime(() => load(source), limit) };
  } catch (thrown) {
    return { source, error: describeThrown(thrown) };
  }
}
