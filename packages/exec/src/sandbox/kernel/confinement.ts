import { encode } from "./bpf.ts";
import type { Architecture } from "./exec-code.ts";
import { type Block, execImage, type SystemCall } from "./exec-image.ts";
import { innerListenerCalls } from "./inner-listener.ts";
import { landlockCalls, type WritePlace } from "./landlock.ts";
import { type FilterOptions, seccompFilter } from "./seccomp-filter.ts";
import { requireNumber } from "./system-calls.ts";

export interface Confinement {
  /** True if the command gets a connection to a proxy: see inner-listener.ts. */
  hasListener?: boolean;
  /** Undefined means without Landlock. */
  landlock: { abi: number; writable: readonly WritePlace[] } | undefined;
  /** Undefined means without a system call filter. */
  seccomp: FilterOptions | undefined;
}

const PR_SET_NO_NEW_PRIVS = 38;
const SIGTERM = 15;
const RLIMIT_CORE = 4;
const KEYCTL_JOIN_SESSION_KEYRING = 1;
const SECCOMP_SET_MODE_FILTER = 1;
const CAPABILITY_VERSION_3 = 0x20080522;

/** Returns the program that applies these restrictions to itself and then becomes the command. */
export function confiningProgram(
  architecture: Architecture,
  { hasListener, landlock, seccomp }: Confinement,
): Uint8Array {
  return execImage(architecture, [
    ...preparation(architecture),
    ...(hasListener ? innerListenerCalls(architecture) : []),
    ...(landlock ? landlockCalls(architecture, landlock.abi, landlock.writable) : []),
    ...(seccomp ? seccompCalls(architecture, seccomp) : []),
  ]);
}

/** Returns a program whose exit code is the version of the kernel's Landlock interface; above 100 means none. */
export function landlockVersionProgram(architecture: Architecture): Uint8Array {
  const VERSION_FLAG = 1;
  return execImage(architecture, [
    {
      number: requireNumber("landlock_create_ruleset", architecture),
      args: [0, 0, VERSION_FLAG],
      result: { nextArgument: 0 },
    },
    { number: requireNumber("exit_group", architecture), args: [0] },
  ]);
}

function preparation(architecture: Architecture): SystemCall[] {
  const number = (name: Parameters<typeof requireNumber>[0]) => requireNumber(name, architecture);
  return [
    // The supervisor outside ignores SIGTERM to give the command time to exit; the command itself must not ignore it.
    { number: number("rt_sigaction"), args: [SIGTERM, block(32), 0, 8], required: "rt_sigaction failed" },
    { number: number("prctl"), args: [PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0], required: "no_new_privs failed" },
    // Writes no core file. A limit of exactly one byte also keeps the system's core-dump handler from running.
    { number: number("prlimit64"), args: [0, RLIMIT_CORE, words64(1, 1), 0], required: "prlimit64 failed" },
    // Replaces the keyring of the user's session with an empty one. Kernels without keyrings have nothing to replace.
    { number: number("keyctl"), args: [KEYCTL_JOIN_SESSION_KEYRING, 0, 0, 0, 0] },
    { number: number("capset"), args: [words32(CAPABILITY_VERSION_3, 0), block(24)], required: "capset failed" },
  ];
}

function seccompCalls(architecture: Architecture, options: FilterOptions): SystemCall[] {
  const program = seccompFilter(architecture, options);
  const filter: Block = { bytes: encode(program) };
  const header = block(16);
  new DataView(header.bytes.buffer).setUint16(0, program.length, true);
  const number = requireNumber("seccomp", architecture);
  const args = [SECCOMP_SET_MODE_FILTER, 0, { ...header, pointers: [{ at: 8, to: filter }] }];
  return [{ number, args, required: "seccomp failed" }];
}

const block = (bytes: number): Block => ({ bytes: new Uint8Array(bytes) });
const words32 = (...values: number[]): Block => ({ bytes: new Uint8Array(Uint32Array.from(values).buffer) });
const words64 = (...values: number[]): Block => ({
  bytes: new Uint8Array(BigUint64Array.from(values.map(BigInt)).buffer),
});
