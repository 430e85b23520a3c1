import { closeSync, constants, openSync } from "node:fs";
import { LayerError } from "./layer-error.ts";
import type { LayerStrength } from "./layer-folder.ts";
import type { LayerView, ViewRequest } from "./layer-view.ts";
import type { NamespacePrograms } from "./programs.ts";

/** Opens only a starting point. */
const O_PATH = 0o10000000;
const DEADLINE_MS = 10_000;
const READY = "ready\n";

/**
 * Puts each directory of the layer in place of the workspace's directory with this number. Paths inside the folder are relative,
 * because `:` and `,` have a meaning in mount options. The kernel keeps a lower directory that is no longer mounted.
 */
const MOUNTS: Record<LayerStrength, string> = {
  overlay: `
    mount -o bind,ro -- "$root" "$at/lower"
    mount -t overlay -o "lowerdir=$at/lower,upperdir=$at/upper,workdir=$at/work,userxattr" pintle "$root"
    umount -- "$at/lower"`,
  copy: `
    mount -o bind -- "$at/copy" "$root"`,
};

const script = (strength: LayerStrength) => `
set -eu
cd -- "$1"
shift
at=0
for root do
${MOUNTS[strength]}
  at=$((at + 1))
done
echo ${READY.trim()}
read -r line || true`;

/**
 * Namespaces in which the workspace's directories are the layer's. They belong to this process alone and end with it: no
 * process has to stay inside.
 */
export class LayerNamespace implements LayerView {
  readonly roots: readonly string[];
  readonly missing: readonly string[] = [];
  readonly #programs: NamespacePrograms;
  readonly #descriptors: readonly number[];

  private constructor(programs: NamespacePrograms, descriptors: readonly number[]) {
    this.#programs = programs;
    this.#descriptors = descriptors;
    this.roots = descriptors.slice(2).map((descriptor) => `/proc/self/fd/${descriptor}`);
  }

  /** Throws LayerError if this system does not allow it, and StartError. */
  static async open(
    { processRunner, folder, strength, roots }: ViewRequest,
    programs: NamespacePrograms,
  ): Promise<LayerNamespace> {
    const child = processRunner.start({
      command: [
        programs.unshare,
        "--user",
        "--map-current-user",
        "--keep-caps",
        "--mount",
        "/bin/sh",
        "-c",
        script(strength),
        "sh",
        folder.path,
        ...roots,
      ],
      cwd: "/",
      stdin: "pipe",
      stderr: "merge",
    });
    const timer = setTimeout(() => child.stop("timed_out", 0), DEADLINE_MS);
    try {
      const output = await readUntilReady(child.stdout);
      if (!output.endsWith(READY)) throw new LayerError(output.trim().split("\n").at(-1) || "no namespaces here");
      return new LayerNamespace(programs, openAll(child.pid, roots));
    } finally {
      child.stdin?.end();
      clearTimeout(timer);
      await Promise.all([child.exited, child.stdout.discardRest()]);
    }
  }

  /**
   * Returns the command that runs another one in the layer. A command without a sandbox gets one that only drops the rights
   * with which it could unmount the layer.
   */
  command(
    [program, ...args]: readonly [string, ...string[]],
    { cwd, isSandboxed }: { cwd: string; isSandboxed: boolean },
  ): [string, ...string[]] {
    const { bubblewrap, nsenter } = this.#programs;
    const [user, mount] = this.#descriptors.map((descriptor) => `/proc/${process.pid}/fd/${descriptor}`);
    const plain = ["--dev-bind", "/", "/", "--die-with-parent", "--cap-drop", "ALL", "--chdir", cwd, "--"];
    return [
      nsenter,
      `--user=${user}`,
      `--mount=${mount}`,
      "--preserve-credentials",
      "--",
      ...(isSandboxed ? [] : [bubblewrap, ...plain]),
      program,
      ...args,
    ];
  }

  close(): void {
    for (const descriptor of this.#descriptors) closeSync(descriptor);
  }
}

async function readUntilReady(stdout: { read(): Promise<Uint8Array | undefined> }): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const chunk = await stdout.read();
    if (!chunk) return text;
    text += decoder.decode(chunk, { stream: true });
    if (text.endsWith(READY)) return text;
  }
}

/** Opens the namespaces of a process, and the workspace's directories in them. */
function openAll(pid: number, roots: readonly string[]): number[] {
  const descriptors: number[] = [];
  try {
    for (const kind of ["user", "mnt"]) descriptors.push(openSync(`/proc/${pid}/ns/${kind}`, constants.O_RDONLY));
    for (const root of roots) descriptors.push(openSync(`/proc/${pid}/root${root}`, O_PATH | constants.O_DIRECTORY));
    return descriptors;
  } catch (error) {
    for (const descriptor of descriptors) closeSync(descriptor);
    throw error;
  }
}
