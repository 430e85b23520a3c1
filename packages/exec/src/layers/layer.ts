import { lstatSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { delay, errorText } from "@pintle/ai";
import { isInside, isMissing, isSystemError } from "@pintle/foundation";
import { exitWithin } from "../processes/exit-within.ts";
import type { ProcessRunner } from "../processes/process-runner.ts";
import { StartError } from "../processes/start-error.ts";
import { CopyManifest } from "./copy-manifest.ts";
import { type ComparedTree, type LayerChanges, layerChanges } from "./layer-changes.ts";
import { LayerError } from "./layer-error.ts";
import { LayerFolder, type LayerRecord, type LayerStrength } from "./layer-folder.ts";
import { type LayerView, openView } from "./layer-view.ts";

export interface LayerRequest {
  /** The directory in which layers are stored, inside pintle's own. */
  directory: string;
  /** The name of the layer in that directory. */
  id: string;
  processRunner: ProcessRunner;
}

export interface NewLayer extends LayerRequest {
  /** The directories of the workspace. */
  roots: readonly string[];
  /** The kinds of layers to try, in this order. */
  strengths: readonly LayerStrength[];
  /** How long a copy may take. Default: a minute. */
  copyMs?: number;
}

export interface LayerProcess {
  pid: number;
  name: string;
}

const COPY_MS = 60_000;
const STOP_MS = 2_000;
const POLL_MS = 20;

/** A private state of a workspace: commands and this process change it while the workspace's own files stay as they are. */
export class Layer {
  readonly strength: LayerStrength;
  /** The workspace's directories, without those that are inside others. */
  readonly roots: readonly string[];
  readonly #folder: LayerFolder;
  readonly #directory: string;
  readonly #view: LayerView;
  readonly #manifests: readonly CopyManifest[];

  private constructor(
    { strength, roots }: LayerRecord,
    parts: { folder: LayerFolder; directory: string; view: LayerView; manifests: readonly CopyManifest[] },
  ) {
    this.strength = strength;
    this.roots = roots;
    this.#folder = parts.folder;
    this.#directory = parts.directory;
    this.#view = parts.view;
    this.#manifests = parts.manifests;
  }

  /**
   * Starts the strongest kind of layer that this system allows. Rejects with LayerError if that is not enough, and leaves
   * nothing behind.
   */
  static async start({
    directory,
    id,
    roots: given,
    strengths,
    processRunner,
    copyMs = COPY_MS,
  }: NewLayer): Promise<Layer> {
    const folder = new LayerFolder(directory, id);
    const roots = given.filter((root) => !given.some((other) => other !== root && isInside(other, root)));
    if (folder.read()) throw new LayerError(`The layer ${id} already exists`);
    const failures: string[] = [];
    for (const strength of strengths) {
      try {
        requireApart(roots, directory);
        if (strength === "overlay") requireNoMounts(roots);
        await folder.create(strength, roots);
        const manifests = strength === "copy" ? await copyAll(folder, roots, processRunner, copyMs) : [];
        const layer = await Layer.#mount({ strength, roots }, { folder, directory, processRunner, manifests });
        folder.write({ strength, roots });
        return layer;
      } catch (error) {
        folder.remove();
        const isExpected = error instanceof LayerError || error instanceof StartError || isSystemError(error);
        if (!isExpected) throw error;
        failures.push(`${strength}: ${errorText(error)}`);
      }
    }
    throw new LayerError(failures.join("; "));
  }

  /** Opens a layer that an earlier process created. Resolves with undefined if there is none. Rejects with LayerError and StartError. */
  static async reopen({ directory, id, processRunner }: LayerRequest): Promise<Layer | undefined> {
    const folder = new LayerFolder(directory, id);
    const record = folder.read();
    if (!record) return undefined;
    const { strength, roots } = record;
    const manifests =
      strength === "copy" ? await Promise.all(roots.map((_, at) => CopyManifest.read(manifestOf(folder, at)))) : [];
    return Layer.#mount(record, { folder, directory, processRunner, manifests });
  }

  /** Removes what is stored of a layer that is not open. */
  static remove({ directory, id }: Pick<LayerRequest, "directory" | "id">): void {
    new LayerFolder(directory, id).remove();
  }

  static async #mount(
    { strength, roots }: LayerRecord,
    parts: {
      folder: LayerFolder;
      directory: string;
      processRunner: ProcessRunner;
      manifests: readonly CopyManifest[];
    },
  ): Promise<Layer> {
    const { processRunner, folder } = parts;
    const view = await openView({ processRunner, folder, strength, roots });
    try {
      for (const [at, inner] of view.roots.entries()) requireSeparate(roots[at]!, inner);
      return new Layer({ strength, roots }, { ...parts, view });
    } catch (error) {
      view.close();
      throw error;
    }
  }

  /**
   * Returns the directory in which this process finds the layer's state of one of its roots. Absolute links in it lead to the
   * workspace's own files, so open what is below only without following links.
   */
  rootOf(root: string): string {
    return this.#view.roots[this.roots.indexOf(root)] ?? root;
  }

  /** What commands can still do to the workspace's own files. */
  get missing(): readonly string[] {
    return this.#view.missing;
  }

  /** Returns the command that runs another one in the layer. `isSandboxed`: it is a bubblewrap command. */
  command(
    command: readonly [string, ...string[]],
    options: { cwd: string; isSandboxed: boolean },
  ): [string, ...string[]] {
    return this.#view.command(command, options);
  }

  changes(): LayerChanges {
    const startedAt = this.#folder.startedAt();
    return layerChanges(
      this.roots.map((root, at): ComparedTree => {
        const manifest = this.#manifests[at];
        const tree = { root, merged: this.#view.roots[at]!, startedAt, excluded: [this.#directory] };
        if (!manifest) return { ...tree, upper: this.#folder.of(at, "upper") };
        return {
          ...tree,
          isAsCopied: (path, stats) => manifest.isSame(relative(root, path), stats),
          wasCopied: (path) => manifest.has(relative(root, path)),
        };
      }),
    );
  }

  /** Returns the processes that have a directory of the layer in place of the workspace's. */
  processes(): LayerProcess[] {
    const layered = this.#view.roots.map((root) => statSync(root, { bigint: true }));
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid > 0 && pid !== process.pid && this.#isInside(pid, layered))
      .map((pid) => ({ pid, name: nameOf(pid) }));
  }

  /** Ends those processes. Resolves with the names of those that were running. */
  async stopProcesses(): Promise<LayerProcess[]> {
    const stopped = this.processes();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      for (const { pid } of this.processes()) kill(pid, signal);
      const until = performance.now() + STOP_MS;
      while (this.processes().length > 0 && performance.now() < until) await delay(POLL_MS);
    }
    return stopped;
  }

  /** Closes the layer but keeps it stored, so that it can be opened again. */
  close(): void {
    this.#view.close();
  }

  /** Closes the layer and removes it. */
  discard(): void {
    this.close();
    this.#folder.remove();
  }

  #isInside(pid: number, layered: readonly { dev: bigint; ino: bigint }[]): boolean {
    try {
      return this.roots.some((root, at) => {
        const { dev, ino } = statSync(`/proc/${pid}/root${root}`, { bigint: true });
        return dev === layered[at]!.dev && ino === layered[at]!.ino;
      });
    } catch {
      return false; // it has ended, belongs to another user, or cannot see that directory
    }
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!isSystemError(error)) throw error; // it has ended
  }
}

function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
  } catch {
    return "unknown";
  }
}

const manifestOf = (folder: LayerFolder, at: number) => folder.of(at, "manifest.jsonl");

async function copyAll(folder: LayerFolder, roots: readonly string[], processRunner: ProcessRunner, timeoutMs: number) {
  const manifests: CopyManifest[] = [];
  for (const [at, root] of roots.entries()) {
    const copy = folder.of(at, "copy");
    const command = ["cp", "-a", "--reflink=auto", "--", `${root}/.`, copy] as const;
    const child = processRunner.start({ command, cwd: "/", stderr: "merge" });
    let text = "";
    const output = (async () => {
      for (let chunk = await child.stdout.read(); chunk; chunk = await child.stdout.read()) {
        text = (text + Buffer.from(chunk).toString()).slice(-500);
      }
      await child.stdout.close();
    })();
    const { code, stoppedFor } = await exitWithin(child, { timeoutMs });
    await output;
    if (stoppedFor) throw new LayerError(`the copy took longer than ${timeoutMs / 1_000} s`);
    if (code !== 0) throw new LayerError(text.trim().split("\n").at(-1) || "the workspace could not be copied");
    manifests.push(await CopyManifest.record(copy, manifestOf(folder, at)));
  }
  return manifests;
}

/** A layer inside the workspace would contain itself. */
function requireApart(roots: readonly string[], directory: string): void {
  const around = roots.find((root) => isInside(root, directory));
  if (around !== undefined) throw new LayerError(`${around} contains pintle's own directory`);
}

/** An overlay shows the empty directory below a mount in place of what is mounted there. */
function requireNoMounts(roots: readonly string[]): void {
  const mounted = mountPoints().find((point) => roots.some((root) => point !== root && isInside(root, point)));
  if (mounted !== undefined) throw new LayerError(`something is mounted at ${mounted}`);
}

function mountPoints(): string[] {
  try {
    return readFileSync("/proc/self/mountinfo", "utf8")
      .split("\n")
      .flatMap((line) => line.split(" ")[4] ?? [])
      .map((path) => path.replace(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8))));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Writes to the layer and looks for it in the workspace. */
function requireSeparate(root: string, inner: string): void {
  const name = `.pintle-${crypto.randomUUID()}`;
  writeFileSync(join(inner, name), "", { flag: "wx" });
  const isSeen = lstatSync(join(root, name), { throwIfNoEntry: false }) !== undefined;
  rmSync(join(inner, name));
  if (isSeen) throw new LayerError("what is written to the layer appears in the workspace");
}
