import { afterAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SessionError } from "@pintle/storage";
import type { SessionEntry } from "@pintle/wire";
import fc from "fast-check";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { Checkpoints } from "../../src/checkpoints/index.ts";
import { type RewindDisk, systemRewindDisk } from "../../src/checkpoints/rewind/execute-rewind.ts";

// Random runs, edits by others, rewinds, redos, restarts and kills, compared with a model of each line. Lines that others have
// changed are never lost.

/** `lines` has slots that change on their own; the others have one slot, and may be missing. */
const SLOTS = ["lines:0", "lines:1", "lines:2", "lines:3", "one", "two", "d/three"] as const;
type Slot = (typeof SLOTS)[number];
type Values = Map<Slot, string | null>;

const isLine = (slot: Slot) => slot.startsWith("lines:");
const LINES = SLOTS.filter(isLine);
const FILES = SLOTS.filter((slot) => !isLine(slot));

interface Run {
  changes: Map<Slot, { before: string | null; after: string | null }>;
}

/** Predicts the files. Foreign values are unique, so that none is equal to one of the session. */
class Model {
  values: Values = new Map(SLOTS.map((slot) => [slot, isLine(slot) ? "start" : null]));
  runs: Run[] = [];
  cursor = 0;
  redo: { run: Run; cursor: number }[] = [];

  change(slots: Map<Slot, string | null>): void {
    const changes: Run["changes"] = new Map();
    for (const [slot, after] of slots) {
      const before = this.values.get(slot)!;
      if (before !== after) changes.set(slot, { before, after });
      this.values.set(slot, after);
    }
    if (changes.size === 0) return;
    this.runs.length = this.cursor;
    this.runs.push({ changes });
    this.cursor = this.runs.length;
    this.redo = [];
  }

  /** Returns what should happen, and what `commit` would change. */
  plan(kind: "undo" | "redo"): { outcome: "done" | "conflict" | "nothing"; commit(): void } {
    const index = kind === "undo" ? this.runs.findLastIndex((run, at) => at < this.cursor && run.changes.size > 0) : -1;
    const run = kind === "undo" ? this.runs[index] : this.redo.at(-1)?.run;
    if (!run) return { outcome: "nothing", commit: () => {} };
    const changes = [...run.changes].map(([slot, { before, after }]) =>
      kind === "undo" ? { slot, from: after, to: before } : { slot, from: before, to: after },
    );
    // What others have made as it should be needs no change.
    const fits = changes.every(({ slot, from, to }) => [from, to].includes(this.values.get(slot)!));
    const commit = () => {
      for (const { slot, from, to } of changes) {
        // What others have taken back is theirs: no redo brings it back.
        if (from !== to && this.values.get(slot) === to) run.changes.delete(slot);
        this.values.set(slot, to);
      }
      if (kind === "undo") {
        this.redo.push({ run, cursor: this.cursor });
        this.cursor = index;
      } else this.cursor = this.redo.pop()!.cursor;
    };
    return { outcome: fits ? "done" : "conflict", commit };
  }
}

const token = fc.integer({ min: 0, max: 1_000_000 });
const slots = (chosen: readonly Slot[]) => fc.subarray([...chosen], { minLength: 1, maxLength: 3 });
const action = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("run" as const),
      slots: slots(SLOTS),
      token,
      deletes: fc.boolean(),
      tool: fc.constantFrom("edit", "bash"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("foreign" as const), slots: slots(SLOTS), token, deletes: fc.boolean() }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom("undo" as const, "redo" as const),
      killAt: fc.option(fc.nat(4), { nil: undefined, freq: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
);

class Killed extends Error {}

const scratch = scratchDirectory();
afterAll(() => scratch[Symbol.dispose]());
let places = 0;

class Machine {
  readonly cwd: string;
  readonly #root: string;
  readonly #entries: SessionEntry[] = [];
  /** How many changes of files the process makes before it is killed. */
  stepsLeft = Number.POSITIVE_INFINITY;
  #checkpoints: Checkpoints | undefined;

  constructor() {
    places += 1;
    this.#root = join(realpathSync(scratch.path), `place-${places}`);
    this.cwd = join(this.#root, "work");
    mkdirSync(this.cwd, { recursive: true });
  }

  async open(): Promise<Checkpoints> {
    if (this.#checkpoints) return this.#checkpoints;
    const entries = this.#entries;
    const step = <T>(work: () => T): T => {
      if (this.stepsLeft <= 0) throw new Killed();
      this.stepsLeft -= 1;
      return work();
    };
    const disk: RewindDisk = {
      replace: (replacement) => step(() => systemRewindDisk.replace(replacement)),
      keepCopy: (...args) => step(() => systemRewindDisk.keepCopy(...args)),
    };
    this.#checkpoints = new Checkpoints({
      session: {
        sessionId: "s1",
        entries: () => entries,
        lastEntryId: () => entries.at(-1)?.id ?? "",
        append: (customType, data) => this.append({ type: "custom", customType, data }),
      },
      directory: join(this.#root, "store"),
      cwd: this.cwd,
      roots: [this.cwd],
      home: join(this.#root, "home"),
      settings: { include: [], maxFileBytes: 1e6, maxFiles: 1e4, maxBytes: 1e8, timeoutMs: 60_000 },
      coverage: { coverage: "workspace" },
      disk,
      hasBackground: () => false,
      now: Date.now,
      emit: () => {},
    });
    await this.#checkpoints.recover();
    return this.#checkpoints;
  }

  close(): void {
    this.#checkpoints?.close();
    this.#checkpoints = undefined;
  }

  append(fields: object): string {
    const id = `e${this.#entries.length}`;
    this.#entries.push({ id, parentId: null, timestamp: "", ...fields } as unknown as SessionEntry);
    return id;
  }

  write(values: ReadonlyMap<Slot, string | null>, beforeWrite: (path: string) => void = () => {}): void {
    const lines = LINES.filter((slot) => values.has(slot));
    if (lines.length > 0) {
      const path = join(this.cwd, "lines");
      beforeWrite(path);
      const current = new Map(
        LINES.map((slot, index) => [slot, readFileSync(path, "utf8").split("\n")[index * 2 + 1]!]),
      );
      for (const slot of lines) current.set(slot, values.get(slot)!);
      writeFileSync(path, linesText(current));
    }
    for (const slot of FILES.filter((file) => values.has(file))) {
      const path = join(this.cwd, slot);
      beforeWrite(path);
      const value = values.get(slot);
      mkdirSync(join(path, ".."), { recursive: true });
      if (typeof value === "string") writeFileSync(path, value);
      else rmSync(path, { force: true });
    }
  }

  read(): Record<string, string> {
    const names = readdirSync(this.cwd, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return Object.fromEntries(
      names.map(({ parentPath, name }) => {
        const path = join(parentPath, name);
        return [path.slice(this.cwd.length + 1), readFileSync(path, "utf8")];
      }),
    );
  }
}

/** Headings keep the slots apart, so that no two changes of lines touch. */
const linesText = (values: ReadonlyMap<Slot, string | null>) =>
  LINES.map((slot) => `-- ${slot} --\n${values.get(slot)}\n`).join("");

function expected(values: Values): Record<string, string> {
  const files = FILES.flatMap((slot): [string, string][] => {
    const value = values.get(slot);
    return typeof value === "string" ? [[slot, value]] : [];
  });
  return Object.fromEntries([...files, ["lines", linesText(values)]]);
}

const sorted = (files: Record<string, string>) => Object.fromEntries(Object.entries(files).sort());

test("files are what the model predicts, after every step and every kill", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 3, maxLength: 14 }), async (actions) => {
      const machine = new Machine();
      const model = new Model();
      writeFileSync(join(machine.cwd, "lines"), linesText(model.values));
      for (const [index, step] of actions.entries()) {
        if (step.do === "restart") machine.close();
        else if (step.do === "foreign" || step.do === "run") {
          const values = new Map(
            step.slots.map((slot): [Slot, string | null] => {
              const isDeleted = step.deletes && !isLine(slot);
              return [slot, isDeleted ? null : `${step.do} ${index} ${step.token}`];
            }),
          );
          if (step.do === "foreign") {
            for (const [slot, value] of values) model.values.set(slot, value);
            machine.write(values);
          } else {
            const checkpoints = await machine.open();
            const entryId = machine.append({ type: "message", message: { role: "user", content: [] } });
            checkpoints.startRun({ entryId: () => entryId, prompt: () => "" });
            const kind = step.tool === "edit" ? "files" : "workspace";
            await checkpoints.tracker.around({ id: `c${index}`, tool: step.tool, kind }, async () =>
              machine.write(values, (path) => kind === "files" && checkpoints.tracker.beforeWrite(path, `c${index}`)),
            );
            model.change(values);
          }
        } else await rewind(machine, model, step);
        expect(sorted(machine.read())).toEqual(sorted(expected(model.values)));
      }
      machine.close();
    }),
    { seed: 50, numRuns: 60 },
  );
}, 120_000);

async function rewind(
  machine: Machine,
  model: Model,
  { do: kind, killAt }: { do: "undo" | "redo"; killAt?: number | undefined },
) {
  const checkpoints = await machine.open();
  const { outcome, commit } = model.plan(kind);
  machine.stepsLeft = killAt ?? Number.POSITIVE_INFINITY;
  let actual: string;
  try {
    if (kind === "undo") checkpoints.rewind({ onConflict: "merge" });
    else checkpoints.redo({ onConflict: "merge" });
    actual = "done";
  } catch (error) {
    if (error instanceof Killed) {
      machine.close();
      machine.stepsLeft = Number.POSITIVE_INFINITY;
      await machine.open(); // rolls back
      return;
    }
    if (!(error instanceof SessionError)) throw error;
    actual = error.code === "conflict" ? "conflict" : "nothing";
  }
  machine.stepsLeft = Number.POSITIVE_INFINITY;
  expect([kind, actual]).toEqual([kind, outcome]);
  if (actual === "done") commit();
}
