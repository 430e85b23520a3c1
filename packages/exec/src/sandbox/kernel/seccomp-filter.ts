import { and, give, type Instruction, ifAnyBit, ifAtLeast, ifEqual, load } from "./bpf.ts";
import type { Architecture } from "./exec-code.ts";
import { numberOf, type SystemCallName } from "./system-calls.ts";

export interface FilterOptions {
  /** The command has a network of its own or may use the system's; otherwise it gets no internet sockets at all. */
  internetSockets: boolean;
  /** The command has System V and POSIX queues of its own. */
  ownIpc: boolean;
}

const ALLOW = 0x7fff0000;
const refuse = (errno: number) => 0x00050000 | errno;
const EPERM = refuse(1);
const EACCES = refuse(13);
const ENOSYS = refuse(38);

/** `struct seccomp_data`; for arguments only the lower half, which is all that the rules below examine. */
const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const argumentAt = (index: number) => 16 + index * 8;

const AUDIT_ARCHITECTURE: Record<Architecture, number> = { x64: 0xc000003e, arm64: 0xc00000b7 };
/** x86-64 has a second set of numbers (x32) from here on. */
const X32_NUMBERS = 0x40000000;

interface Bits {
  argument: number;
  anyBitOf: number;
}

type Condition =
  /** Undefined means every call. */
  | undefined
  | Bits
  | readonly Bits[]
  | { argument: number; oneOf: readonly number[] }
  | { argument: number; mask?: number; noneOf: readonly number[] };

interface Rule {
  calls: readonly SystemCallName[];
  refusedIf?: Condition;
  with?: number;
}

const NEW_NAMESPACES = 0x7e020000;
const NEW_TIME_NAMESPACE = 0x80;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
const FAMILY = { inet: 2, inet6: 10, netlink: 16 };
const SOCKET_TYPE_MASK = 0xf;
const SOCK_STREAM = 1;
const SOCK_SEQPACKET = 5;

const SET_ID = 0o6000; // of the user, of the group
const MAKES_FILE = 0o20000100; // O_CREAT and O_TMPFILE; without them the kernel ignores the mode
const setId = (argument: number) => ({ argument, anyBitOf: SET_ID });
const makesFile = (argument: number) => ({ argument, anyBitOf: MAKES_FILE });

/**
 * Calls that are always refused; anything not named in a rule is allowed. The calls that programs make most often come first,
 * because the kernel goes through the list for every call.
 */
const ALWAYS: readonly Rule[] = [
  // A setuid or setgid program left in the workspace would give its rights to every other user of the machine.
  { calls: ["openat"], refusedIf: [makesFile(2), setId(3)] },
  { calls: ["open"], refusedIf: [makesFile(1), setId(2)] },
  { calls: ["chmod", "fchmod", "creat", "mknod"], refusedIf: setId(1) },
  { calls: ["fchmodat", "fchmodat2", "mknodat"], refusedIf: setId(2) },
  // Its mode is in memory, where a filter cannot look; programs that use it have a fallback.
  { calls: ["openat2"], with: ENOSYS },
  { calls: ["ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd", "perf_event_open"] },
  { calls: ["io_uring_setup", "io_uring_enter", "io_uring_register", "bpf", "userfaultfd"] },
  { calls: ["init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load"] },
  { calls: ["iopl", "ioperm", "modify_ldt", "uselib"] },
  { calls: ["mount", "umount2", "pivot_root", "chroot", "open_tree", "open_tree_attr", "move_mount"] },
  { calls: ["fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "open_by_handle_at", "fanotify_init"] },
  { calls: ["add_key", "request_key", "keyctl"] },
  { calls: ["acct", "quotactl", "quotactl_fd", "reboot", "swapon", "swapoff"] },
  { calls: ["settimeofday", "clock_settime", "sethostname", "setdomainname", "syslog", "vhangup"] },
  { calls: ["setns"] },
  { calls: ["unshare"], refusedIf: { argument: 0, anyBitOf: NEW_NAMESPACES | NEW_TIME_NAMESPACE } },
  { calls: ["clone"], refusedIf: { argument: 0, anyBitOf: NEW_NAMESPACES } },
  // The same applies to its flags; C libraries fall back to `clone`.
  { calls: ["clone3"], with: ENOSYS },
  // A shell cannot tell characters inserted into the terminal's input from those the user typed.
  { calls: ["ioctl"], refusedIf: { argument: 1, oneOf: [TIOCSTI, TIOCLINUX] } },
  // A pair of datagram sockets can be sent to any address; the other types stay connected to each other.
  {
    calls: ["socketpair"],
    refusedIf: { argument: 1, mask: SOCKET_TYPE_MASK, noneOf: [SOCK_STREAM, SOCK_SEQPACKET] },
    with: EACCES,
  },
];

const SHARED_IPC: Rule = {
  calls: [
    ...(["shmget", "shmat", "shmctl", "semget", "semctl", "semop", "semtimedop"] as const),
    ...(["msgget", "msgctl", "msgsnd", "msgrcv", "mq_open", "mq_unlink"] as const),
  ],
};

/**
 * Returns the address families that remain allowed. Unix sockets are not among them: a filter cannot see which listener
 * a path leads to, and it may be a daemon with more rights than the command (Docker, D-Bus, an SSH agent).
 */
function socketRule({ internetSockets }: FilterOptions): Rule {
  const families = internetSockets ? [FAMILY.inet, FAMILY.inet6, FAMILY.netlink] : [FAMILY.netlink];
  return { calls: ["socket"], refusedIf: { argument: 0, noneOf: families }, with: EACCES };
}

/** Returns the system call filter as a BPF program. */
export function seccompFilter(architecture: Architecture, options: FilterOptions): Instruction[] {
  const rules = [...ALWAYS, socketRule(options), ...(options.ownIpc ? [] : [SHARED_IPC])];
  return [
    // A 32-bit program uses other numbers, which must not be mistaken for ours.
    load(ARCHITECTURE_AT),
    ifEqual(AUDIT_ARCHITECTURE[architecture], 1, 0),
    give(ENOSYS),
    load(NUMBER_AT),
    ...(architecture === "x64" ? [ifAtLeast(X32_NUMBERS, 0, 1), give(ENOSYS)] : []),
    ...rules.flatMap((rule) => rule.calls.flatMap((call) => compile(numberOf(call, architecture), rule))),
    give(ALLOW),
  ];
}

function compile(number: number | undefined, { refusedIf, with: verdict = EPERM }: Rule): Instruction[] {
  if (number === undefined) return [];
  const body = refusedIf ? compileCondition(refusedIf, verdict) : [give(verdict)];
  return [ifEqual(number, 0, body.length), ...body];
}

function compileCondition(condition: NonNullable<Condition>, verdict: number): Instruction[] {
  if (isBits(condition)) return compileBits([condition].flat(), verdict);
  const [values, ifFound, otherwise] =
    "oneOf" in condition ? [condition.oneOf, verdict, ALLOW] : [condition.noneOf, ALLOW, verdict];
  const masked = "mask" in condition && condition.mask !== undefined ? [and(condition.mask)] : [];
  const tests = values.map((item, index) => ifEqual(item, values.length - index, 0));
  return [load(argumentAt(condition.argument)), ...masked, ...tests, give(otherwise), give(ifFound)];
}

function isBits(condition: NonNullable<Condition>): condition is Bits | readonly Bits[] {
  return Array.isArray(condition) || "anyBitOf" in condition;
}

/** Refuses the call if every argument has one of its bits set. */
function compileBits(tests: readonly Bits[], verdict: number): Instruction[] {
  const steps = tests.flatMap(({ argument, anyBitOf }, index) => [
    load(argumentAt(argument)),
    ifAnyBit(anyBitOf, 0, 2 * (tests.length - index) - 1),
  ]);
  return [...steps, give(verdict), give(ALLOW)];
}
