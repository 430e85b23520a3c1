import type { Architecture } from "./exec-code.ts";
import type { Block, SystemCall } from "./exec-image.ts";
import { requireNumber } from "./system-calls.ts";

/** A Landlock right to write, and the interface version that introduced it. */
const WRITE_RIGHTS = {
  writeFile: { bit: 1, since: 1, forFiles: true },
  removeDir: { bit: 4, since: 1, forFiles: false },
  removeFile: { bit: 5, since: 1, forFiles: false },
  makeChar: { bit: 6, since: 1, forFiles: false },
  makeDir: { bit: 7, since: 1, forFiles: false },
  makeReg: { bit: 8, since: 1, forFiles: false },
  makeSock: { bit: 9, since: 1, forFiles: false },
  makeFifo: { bit: 10, since: 1, forFiles: false },
  makeBlock: { bit: 11, since: 1, forFiles: false },
  makeSym: { bit: 12, since: 1, forFiles: false },
  refer: { bit: 13, since: 2, forFiles: false },
  truncate: { bit: 14, since: 3, forFiles: true },
  ioctlDev: { bit: 15, since: 5, forFiles: true },
} as const;

type Right = keyof typeof WRITE_RIGHTS;

/** Devices must never be created, not even by root. */
const NEVER_GRANTED: readonly Right[] = ["makeChar", "makeBlock"];
/** Blocks signals and abstract unix sockets to processes outside. */
const SCOPES = 0b11;
const SCOPES_SINCE = 6;

export interface WritePlace {
  path: string;
  /** `tree`: everything in it; `files`: existing files only. */
  kind: "tree" | "files";
}

/** High enough not to collide with the few descriptors that a starting program has. */
const RULESET_FD = 200;
const O_CLOEXEC = 0o2000000;
const O_PATH = 0o10000000;
const AT_FDCWD = -100;
const RULE_PATH_BENEATH = 1;

/** Returns system calls after which only these places can be written to. Omits places that do not exist. */
export function landlockCalls(architecture: Architecture, abi: number, places: readonly WritePlace[]): SystemCall[] {
  const number = (name: Parameters<typeof requireNumber>[0]) => requireNumber(name, architecture);
  const attributes = ruleset(abi);
  return [
    {
      number: number("landlock_create_ruleset"),
      args: [attributes, attributes.bytes.length, 0],
      result: { nextArgument: 0 },
      required: "landlock_create_ruleset failed",
    },
    { number: number("dup3"), args: [0, RULESET_FD, O_CLOEXEC], required: "dup3 failed" },
    ...places.flatMap(({ path, kind }): SystemCall[] => {
      const rule = pathBeneath(rights(abi, kind));
      return [
        {
          number: number("openat"),
          args: [AT_FDCWD, zeroEnded(path), O_PATH | O_CLOEXEC],
          result: { block: rule, at: 8 },
        },
        { number: number("landlock_add_rule"), args: [RULESET_FD, RULE_PATH_BENEATH, rule, 0] },
      ];
    }),
    {
      number: number("landlock_restrict_self"),
      args: [RULESET_FD, 0],
      required: "landlock_restrict_self failed",
    },
  ];
}

/** Returns the rights that this version of the interface can grant, as a bit set. */
function rights(abi: number, kind: WritePlace["kind"] | "handled"): bigint {
  const isMeant = ([name, { since, forFiles }]: [string, (typeof WRITE_RIGHTS)[Right]]) =>
    since <= abi &&
    (kind === "handled" || (kind === "files" ? forFiles : !(NEVER_GRANTED as readonly string[]).includes(name)));
  return Object.entries(WRITE_RIGHTS)
    .filter(isMeant)
    .reduce((set, [, { bit }]) => set | (1n << BigInt(bit)), 0n);
}

/** `struct landlock_ruleset_attr`, in the size that this version of the interface expects. */
function ruleset(abi: number): Block {
  const hasScopes = abi >= SCOPES_SINCE;
  const bytes = new Uint8Array(hasScopes ? 24 : 8);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, rights(abi, "handled"), true);
  if (hasScopes) view.setBigUint64(16, BigInt(SCOPES), true);
  return { bytes };
}

/** `struct landlock_path_beneath_attr`; the call that opens the path writes the descriptor at offset 8. */
function pathBeneath(granted: bigint): Block {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setBigUint64(0, granted, true);
  return { bytes };
}

function zeroEnded(text: string): Block {
  return { bytes: new TextEncoder().encode(`${text}\0`) };
}
