import { CommandError } from "@pintle/gateway";
import { commands, fieldNames, type Result, type RewindResult } from "@pintle/wire";
import type { Frame } from "../gateway-link.ts";
import { type BufferPlace, unsavedFiles } from "./unsaved-buffers.ts";

export type Rewind = "rewind_files" | "redo_files";
type UndoCommand = "get_changes" | Rewind;
type Fields = Readonly<Record<string, unknown>>;

/** The extension methods of ACP, with the commands that they send. */
export const UNDO_METHODS: Readonly<Record<string, UndoCommand>> = {
  "_pintle/get_changes": "get_changes",
  "_pintle/rewind_files": "rewind_files",
  "_pintle/redo_files": "redo_files",
};

/** The editor has text that is not saved in a file that would be replaced. */
export class UnsavedError extends CommandError {
  constructor(verb: string, paths: readonly string[]) {
    const [first = "", ...others] = paths;
    const what =
      others.length === 0
        ? `${first}: it has unsaved changes in the editor. Save or discard them`
        : `${paths.length} files: they have unsaved changes in the editor: ${paths.join(", ")}. Save or discard these`;
    super("conflict", `Cannot ${verb} ${what}, then try again.`);
  }
}

/**
 * Undo for the session of an editor. A rewind is refused while a file that it would change has unsaved text in the editor: the
 * engine sees only the disk, and the editor's text would overwrite the restored file when it is saved.
 */
export class FileUndo {
  readonly #request: (command: Frame) => Promise<unknown>;
  readonly #place: BufferPlace;
  /** One at a time: without `to`, the one before decides what a rewind takes back. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(request: (command: Frame) => Promise<unknown>, place: BufferPlace) {
    this.#request = request;
    this.#place = place;
  }

  send(type: UndoCommand, params: Fields, signal: AbortSignal): Promise<unknown> {
    const known = fieldNames(commands[type]).filter((name) => Object.hasOwn(params, name));
    const fields = Object.fromEntries(known.map((name) => [name, params[name]]));
    return type === "get_changes" ? this.#request({ type, ...fields }) : this.rewind(type, fields, signal);
  }

  async changes(since: string): Promise<Result<"get_changes">> {
    return (await this.#request({ type: "get_changes", since })) as Result<"get_changes">; // the command's row declares it
  }

  async checkpoints(limit: number): Promise<Result<"get_checkpoints">["checkpoints"]> {
    const data = await this.#request({ type: "get_checkpoints", limit });
    return (data as Result<"get_checkpoints">).checkpoints; // as above
  }

  rewind(type: Rewind, fields: Fields, signal: AbortSignal): Promise<RewindResult> {
    const work = this.#last.then(() => this.#rewind(type, fields, signal));
    this.#last = work.catch(() => {}); // its caller receives the failure
    return work;
  }

  async #rewind(type: Rewind, fields: Fields, signal: AbortSignal): Promise<RewindResult> {
    const send = async (more?: Fields) => (await this.#request({ ...fields, ...more, type })) as RewindResult; // as above
    if (!this.#place.client.able.readsFiles) return send();
    const plan = await send({ dryRun: true });
    const paths = plan.files.map(({ path }) => path);
    const unsaved = await unsavedFiles(paths, this.#place, signal);
    if (fields.dryRun === true) return withUnsaved(plan, new Set(unsaved));
    if (unsaved.length > 0) throw new UnsavedError(type === "redo_files" ? "redo" : "rewind", unsaved);
    const { files } = await send({ dryRun: true });
    if (JSON.stringify(files) !== JSON.stringify(plan.files)) {
      throw new CommandError("busy", "The files changed while the editor was asked about them; try again");
    }
    return send();
  }
}

function withUnsaved(plan: RewindResult, unsaved: ReadonlySet<string>): RewindResult {
  if (unsaved.size === 0) return plan;
  const conflicts = [...unsaved].map((path) => ({ path, kind: "foreign_edit" as const }));
  return {
    ...plan,
    canRewind: false,
    files: plan.files.filter(({ path }) => !unsaved.has(path)),
    conflicts: [...plan.conflicts, ...conflicts],
  };
}
