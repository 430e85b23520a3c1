import type { Place } from "./access-plan.ts";
import { bubblewrapCommand } from "./bubblewrap.ts";
import type { ExecFiles } from "./exec-files.ts";
import { type Confinement, confiningProgram } from "./kernel/confinement.ts";
import type { Architecture } from "./kernel/exec-code.ts";
import type { WritePlace } from "./kernel/landlock.ts";
import type { SandboxPolicy } from "./policy.ts";
import type { Means } from "./strength.ts";

export interface WrapRequest {
  policy: SandboxPolicy;
  means: Means;
  files: ExecFiles;
  places: readonly Place[];
  /** See BubblewrapRequest. */
  locks?: readonly string[];
  cwd: string;
  /** The absolute path of the program, and its arguments. */
  command: readonly string[];
}

/**
 * Devices that every program expects to write to. Excludes the terminals in `pts`: one of them is the user's, and text written
 * there can do more than be displayed. A private /dev contains only the command's own terminals.
 */
const DEVICES: readonly WritePlace[] = ["null", "zero", "full", "tty"].map((name) => ({
  path: `/dev/${name}`,
  kind: "files",
}));
const OWN_DEVICES: readonly WritePlace[] = [
  { path: "/dev", kind: "files" },
  { path: "/dev/shm", kind: "tree" },
];

/** Returns the command line that runs a command with these means. */
export async function wrapCommand(request: WrapRequest): Promise<[string, ...string[]]> {
  const { policy, means, files, places, locks = [], cwd, command } = request;
  const { bubblewrap } = means;
  const image = confiningProgram(process.arch as Architecture, confinement(policy, means, places));
  const innerStage = await files.program(image);
  if (bubblewrap === undefined) return [innerStage, ...command];
  const [emptyFile, emptyDirectory] = [await files.emptyFile(), await files.emptyDirectory()];
  const hasOwnNetwork = policy.network !== "on";
  const empty = { emptyFile, emptyDirectory };
  return bubblewrapCommand({ bubblewrap, innerStage, ...empty, places, locks, hasOwnNetwork, cwd, command });
}

function confinement(policy: SandboxPolicy, means: Means, places: readonly Place[]): Confinement {
  const hasOwnSpaces = means.bubblewrap !== undefined;
  const writable = places
    .filter(({ access }) => access === "write")
    .map(({ path, isDirectory }): WritePlace => ({ path, kind: isDirectory ? "tree" : "files" }));
  return {
    hasListener: typeof policy.network === "object",
    landlock:
      means.landlock > 0
        ? { abi: means.landlock, writable: [...writable, ...(hasOwnSpaces ? OWN_DEVICES : DEVICES)] }
        : undefined,
    seccomp: means.seccomp
      ? { internetSockets: hasOwnSpaces || policy.network === "on", ownIpc: hasOwnSpaces }
      : undefined,
  };
}
