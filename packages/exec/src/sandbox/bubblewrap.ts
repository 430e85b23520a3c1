import { existsSync } from "node:fs";
import { isInside } from "@pintle/foundation";
import type { Place } from "./access-plan.ts";

/**
 * Where bubblewrap is looked for. Not on PATH: that may name directories of the project, and what is found there would run
 * outside of the sandbox.
 */
const DIRECTORIES = ["/usr/bin", "/usr/local/bin", "/bin", "/run/wrappers/bin", "/run/current-system/sw/bin"];

/** Where the inner stage appears: in a /dev that belongs to the command alone. */
const INNER_STAGE = "/dev/pintle-sandbox";
const LOCK = "/dev/pintle-lock";

export function findBubblewrap(): string | undefined {
  return DIRECTORIES.map((directory) => `${directory}/bwrap`).find((path) => existsSync(path));
}

export interface BubblewrapRequest {
  bubblewrap: string;
  /** The program that confines itself further and then becomes the command. */
  innerStage: string;
  emptyFile: string;
  emptyDirectory: string;
  places: readonly Place[];
  /** Files that are locked for reading as long as a process of the command lives. */
  locks: readonly string[];
  hasOwnNetwork: boolean;
  cwd: string;
  command: readonly string[];
}

/** The command line of bubblewrap. The session is not made here: the process runner has started one, without a terminal. */
export function bubblewrapCommand(request: BubblewrapRequest): [string, ...string[]] {
  const { bubblewrap, innerStage, places, locks, hasOwnNetwork, cwd, command } = request;
  // The root directory may be the project, as in many containers; a mount there would cover all others.
  const isRootWritable = places.some(({ path, access }) => path === "/" && access === "write");
  // Places in a hidden one need a directory that bubblewrap can make them in.
  const holding = places.filter(
    (place) => isHiddenDirectory(place) && places.some(({ path }) => isBelow(path, place.path)),
  );
  return [
    bubblewrap,
    "--unshare-user-try",
    "--unshare-ipc",
    "--unshare-pid",
    "--unshare-uts",
    "--unshare-cgroup-try",
    ...(hasOwnNetwork ? ["--unshare-net"] : []),
    "--die-with-parent",
    "--cap-drop",
    "ALL",
    isRootWritable ? "--bind" : "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    ...places
      .filter(({ path }) => path !== "/")
      .flatMap((place) => (holding.includes(place) ? ["--tmpfs", place.path] : mount(place, request))),
    "--ro-bind",
    innerStage,
    INNER_STAGE,
    ...locks.flatMap((path, index) => ["--ro-bind", path, `${LOCK}-${index}`, "--lock-file", `${LOCK}-${index}`]),
    // Last, when the places in them are mounted.
    ...holding.flatMap(({ path }) => ["--remount-ro", path]),
    "--chdir",
    cwd,
    "--",
    INNER_STAGE,
    ...command,
  ];
}

function mount({ path, access, isDirectory }: Place, { emptyFile, emptyDirectory }: BubblewrapRequest): string[] {
  if (access === "write") return ["--bind", path, path];
  if (access === "read") return ["--ro-bind", path, path];
  return ["--ro-bind", isDirectory ? emptyDirectory : emptyFile, path];
}

const isHiddenDirectory = ({ access, isDirectory }: Place): boolean => access === "hidden" && isDirectory;

const isBelow = (path: string, directory: string): boolean => path !== directory && isInside(directory, path);
