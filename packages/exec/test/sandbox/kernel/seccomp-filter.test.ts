import { describe, expect, test } from "bun:test";
import { encode, type Instruction } from "../../../src/sandbox/kernel/bpf.ts";
import type { Architecture } from "../../../src/sandbox/kernel/exec-code.ts";
import { type FilterOptions, seccompFilter } from "../../../src/sandbox/kernel/seccomp-filter.ts";
import { numberOf, type SystemCallName } from "../../../src/sandbox/kernel/system-calls.ts";

const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7, i386: 0x40000003 };
const OPEN: FilterOptions = { internetSockets: true, ownIpc: true };
const CLOSED: FilterOptions = { internetSockets: false, ownIpc: false };

/** Interprets such programs as the kernel does, as far as our filter needs it. */
function judge(program: readonly Instruction[], data: Uint32Array): string {
  let accumulator = 0;
  for (let at = 0; at < program.length; at++) {
    const [code, jt, jf, k] = program[at]!;
    if (code === 0x20) accumulator = data[k / 4]!;
    else if (code === 0x54) accumulator = (accumulator & k) >>> 0;
    else if (code === 0x15) at += accumulator === k ? jt : jf;
    else if (code === 0x35) at += accumulator >= k ? jt : jf;
    else if (code === 0x45) at += (accumulator & k) !== 0 ? jt : jf;
    else if (code === 0x06) return k === 0x7fff0000 ? "allowed" : `errno ${k & 0xffff}`;
    else throw new Error(`unknown instruction ${code}`);
  }
  throw new Error("fell off the end");
}

function call(architecture: Architecture, options: FilterOptions, name: SystemCallName, ...args: number[]): string {
  const number = numberOf(name, architecture);
  if (number === undefined) return "no such call";
  return judge(seccompFilter(architecture, options), seccompData(number, AUDIT[architecture], args));
}

function seccompData(number: number, audit: number, args: readonly number[]): Uint32Array {
  const data = new Uint32Array(16);
  data.set([number, audit]);
  for (const [index, value] of args.entries()) data[4 + index * 2] = value;
  return data;
}

const EPERM = "errno 1";
const EACCES = "errno 13";
const ENOSYS = "errno 38";

for (const architecture of ["x64", "arm64"] as const) {
  const judged = (options: FilterOptions, name: SystemCallName, ...args: number[]) =>
    call(architecture, options, name, ...args);

  describe(`${architecture}: the filter for system calls`, () => {
    test("refuses what leads around the sandbox", () => {
      const names = ["ptrace", "io_uring_setup", "bpf", "mount", "keyctl", "perf_event_open", "setns"] as const;
      expect(names.map((name) => judged(OPEN, name))).toEqual(names.map(() => EPERM));
    });

    test("lets threads and processes be made, but no namespaces", () => {
      expect(judged(OPEN, "clone", 0x3d0f00)).toBe("allowed"); // a thread
      expect(judged(OPEN, "clone", 17)).toBe("allowed"); // a fork
      expect(judged(OPEN, "clone", 0x10000000 | 17)).toBe(EPERM);
      expect(judged(OPEN, "unshare", 0x400)).toBe("allowed");
      expect(judged(OPEN, "unshare", 0x20000)).toBe(EPERM);
      expect(judged(OPEN, "clone3")).toBe(ENOSYS);
    });

    test("knows sockets by their family", () => {
      const families = { unix: 1, inet: 2, inet6: 10, netlink: 16, packet: 17, vsock: 40 };
      const verdicts = (options: FilterOptions) =>
        Object.fromEntries(Object.entries(families).map(([name, family]) => [name, judged(options, "socket", family)]));
      const refused = { unix: EACCES, packet: EACCES, vsock: EACCES, netlink: "allowed" };
      expect(verdicts(OPEN)).toEqual({ ...refused, inet: "allowed", inet6: "allowed" });
      expect(verdicts(CLOSED)).toEqual({ ...refused, inet: EACCES, inet6: EACCES });
    });

    test("allows pairs of sockets that are tied to each other", () => {
      const CLOEXEC = 0o2000000;
      expect(judged(OPEN, "socketpair", 1, 1 | CLOEXEC)).toBe("allowed");
      expect(judged(OPEN, "socketpair", 1, 5)).toBe("allowed");
      expect(judged(OPEN, "socketpair", 1, 2 | CLOEXEC)).toBe(EACCES);
    });

    test("refuses to type for the user", () => {
      expect(judged(OPEN, "ioctl", 0, 0x5412)).toBe(EPERM);
      expect(judged(OPEN, "ioctl", 0, 0x541c)).toBe(EPERM);
      expect(judged(OPEN, "ioctl", 0, 0x5413)).toBe("allowed");
    });

    test("looks at the mode of a file only when one is made", () => {
      const CREATE = 0o100;
      expect(judged(OPEN, "openat", 0, 0, CREATE, 0o644)).toBe("allowed");
      expect(judged(OPEN, "openat", 0, 0, CREATE, 0o4755)).toBe(EPERM);
      expect(judged(OPEN, "openat", 0, 0, 0, 0o4755)).toBe("allowed"); // arbitrary content of the register
      expect(judged(OPEN, "fchmod", 0, 0o4755)).toBe(EPERM);
      expect(judged(OPEN, "fchmodat", 0, 0, 0o2755)).toBe(EPERM);
      expect(judged(OPEN, "fchmodat", 0, 0, 0o1755)).toBe("allowed");
      expect(judged(OPEN, "openat2")).toBe(ENOSYS);
    });

    test("keeps shared memory and queues from commands that do not have their own", () => {
      const names = ["shmget", "semget", "msgget", "mq_open"] as const;
      expect(names.map((name) => judged(OPEN, name))).toEqual(names.map(() => "allowed"));
      expect(names.map((name) => judged(CLOSED, name))).toEqual(names.map(() => EPERM));
    });

    test("refuses calls by the numbers of another architecture", () => {
      const program = seccompFilter(architecture, OPEN);
      expect(judge(program, seccompData(1, AUDIT.i386, []))).toBe(ENOSYS);
    });

    test("fits into what the kernel takes", () => {
      const program = seccompFilter(architecture, CLOSED);
      expect(program.length).toBeLessThan(4096);
      expect(encode(program).length).toBe(program.length * 8);
      for (const [, jt, jf] of program) expect(Math.max(jt, jf)).toBeLessThan(256);
    });
  });
}

test("x64: refuses the second set of numbers", () => {
  expect(judge(seccompFilter("x64", OPEN), seccompData(0x40000000 + 1, AUDIT.x64, []))).toBe(ENOSYS);
});
