/** The sandbox mechanisms of this system that a real start has shown to work. */
export interface Means {
  /** Path of the program. */
  bubblewrap?: string;
  /** Version of the kernel's interface; 0 means none. */
  landlock: number;
  seccomp: boolean;
}

export type StrengthLevel = "full" | "partial" | "none";

export interface Strength {
  level: StrengthLevel;
  means: Means;
  /** What a command can still do; empty at `full`. */
  missing: string[];
}

/** A guarantee of the sandbox: the message if it does not hold, and whether these means ensure it. */
const PROMISES: readonly { broken: string; isKept: (means: Means) => boolean }[] = [
  {
    broken: "writes outside the workspace are possible",
    isKept: ({ bubblewrap, landlock }) => bubblewrap !== undefined || landlock > 0,
  },
  { broken: "hidden files can be read", isKept: ({ bubblewrap }) => bubblewrap !== undefined },
  {
    broken: "protected parts of the workspace (.git/hooks, .git/config, .pintle) can be written",
    isKept: ({ bubblewrap }) => bubblewrap !== undefined,
  },
  { broken: "a daemon outlives its command", isKept: ({ bubblewrap }) => bubblewrap !== undefined },
  {
    broken: "limits and priorities of the user's other processes can be changed",
    isKept: ({ bubblewrap }) => bubblewrap !== undefined,
  },
  { broken: "other processes can be seen", isKept: ({ bubblewrap }) => bubblewrap !== undefined },
  {
    broken: "mode, owner and times of files outside can be changed",
    isKept: ({ bubblewrap }) => bubblewrap !== undefined,
  },
  {
    broken: "files outside can be emptied with truncate",
    isKept: ({ bubblewrap, landlock }) => bubblewrap !== undefined || landlock >= 3,
  },
  {
    broken: "devices outside can be controlled with ioctl",
    isKept: ({ bubblewrap, landlock }) => bubblewrap !== undefined || landlock >= 5,
  },
  {
    broken: "processes outside can be sent signals",
    isKept: ({ bubblewrap, landlock }) => bubblewrap !== undefined || landlock >= 6,
  },
  { broken: "named pipes outside can be written to", isKept: ({ landlock }) => landlock > 0 },
  { broken: "unix sockets outside can be reached", isKept: ({ seccomp }) => seccomp },
  { broken: "the network can be reached", isKept: ({ bubblewrap, seccomp }) => bubblewrap !== undefined || seccomp },
  { broken: "system calls are not filtered (ptrace, io_uring, keyrings)", isKept: ({ seccomp }) => seccomp },
];

export function toStrength(means: Means): Strength {
  const isAll = means.bubblewrap !== undefined && means.landlock > 0 && means.seccomp;
  if (isAll) return { level: "full", means, missing: [] };
  const isNothing = means.bubblewrap === undefined && means.landlock === 0;
  const missing = PROMISES.filter(({ isKept }) => !isKept(means)).map(({ broken }) => broken);
  return { level: isNothing ? "none" : "partial", means, missing };
}

/** Returns whether the available strength is at least the required one. */
export function isEnough(level: StrengthLevel, required: "full" | "partial"): boolean {
  return level === "full" || level === required;
}
