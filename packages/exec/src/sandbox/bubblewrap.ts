import { existsSync } from "node:fs";
import { isInside } from "@pintle/foundation";
import type { Place } from "./access-plan.ts";

/**
 * Where to look for bubblewrap. Not on PATH: it may contain project directories, and a program found there would run
 * outside the sandbox.
 */
const DIRECTORIES = ["/usr/bin", "/usr/local/bin", "/bin", "/run/wrappers/bin", "/run/current-system/sw/bin"];

/** Where the inner stage is mounted: in a /dev that belongs to the command alone. */
const INNER_STAGE = "/dev/pintle-sandbox";
const LOCK = "/dev/pintle-lock";

export function findBubblewrap(): string | undefined {
  return DIRECTORIES.map((directory) => `${directory}/bwrap`).find((path) => existsSync(path));
}

export interface BubblewrapRequest {
  bubblewrap: string;
  /** The program that applies further restrictions to itself and then becomes the command. */
  innerStage: string;
  emptyFile: string;
  emptyDirectory: string;
  places: readonly Place[];
  /** Files on which the command's processes hold a read lock as long as one of them lives. */
  locks: readonly string[];
  hasOwnNetwork: boolean;
  cwd: string;
  command: readonly string[];
}

/**
 * Returns the command line of bubblewrap. It does not create a session, because the process runner has already started one
 * without a terminal.
 */
export function bubblewrapCommand(request: BubblewrapRequest): [string, ...string[]] {
  const { bubblewrap, innerStage, places, locks, hasOwnNetwork, cwd, command } = request;
  // The root directory may be the project, as in many containers; a mount there would cover all others.
  const isRootWritable = places.some(({ path, access }) => path === "/" && access === "write");
  // Places inside a hidden one need a directory in which bubblewrap can create them.
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
    // Comes last, after the places inside have been mounted.
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
