import type { Architecture } from "./exec-code.ts";

/** System call numbers for x86-64 and arm64. Undefined if the architecture lacks the call. */
const NUMBERS = {
  // calls that the inner stage itself makes
  write: [1, 64],
  rt_sigaction: [13, 134],
  capset: [126, 91],
  prctl: [157, 167],
  exit_group: [231, 94],
  openat: [257, 56],
  dup3: [292, 24],
  fcntl: [72, 25],
  setsid: [112, 157],
  prlimit64: [302, 261],
  bind: [49, 200],
  listen: [50, 201],
  sendmsg: [46, 211],
  close: [3, 57],
  seccomp: [317, 277],
  landlock_create_ruleset: [444, 444],
  landlock_add_rule: [445, 445],
  landlock_restrict_self: [446, 446],

  // reaching into other processes
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
  perf_event_open: [298, 241],
  // kernel interfaces that bypass a filter of system calls, or have a long record of vulnerabilities
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  bpf: [321, 280],
  userfaultfd: [323, 282],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  iopl: [172, undefined],
  ioperm: [173, undefined],
  modify_ldt: [154, undefined],
  uselib: [134, undefined],
  // another view of the file system
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  open_tree_attr: [467, 467],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_by_handle_at: [304, 265],
  fanotify_init: [300, 262],
  // namespaces
  setns: [308, 268],
  unshare: [272, 97],
  clone: [56, 220],
  clone3: [435, 435],
  // keyrings of the kernel
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  // the machine
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  syslog: [103, 116],
  vhangup: [153, 58],
  // sockets and terminals
  socket: [41, 198],
  socketpair: [53, 199],
  ioctl: [16, 29],
  // setting a file's mode
  chmod: [90, undefined],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  open: [2, undefined],
  creat: [85, undefined],
  openat2: [437, 437],
  mknod: [133, undefined],
  mknodat: [259, 33],
  // System V and POSIX communication between processes
  shmget: [29, 194],
  shmat: [30, 196],
  shmctl: [31, 195],
  semget: [64, 190],
  semctl: [66, 191],
  semop: [65, 193],
  semtimedop: [220, 192],
  msgget: [68, 186],
  msgctl: [71, 187],
  msgsnd: [69, 189],
  msgrcv: [70, 188],
  mq_open: [240, 180],
  mq_unlink: [241, 181],
} as const satisfies Record<string, readonly [x64: number, arm64: number | undefined]>;

export type SystemCallName = keyof typeof NUMBERS;

const COLUMN: Record<Architecture, 0 | 1> = { x64: 0, arm64: 1 };

export function numberOf(name: SystemCallName, architecture: Architecture): number | undefined {
  return NUMBERS[name][COLUMN[architecture]];
}

/** Returns the number of a call that every architecture has. */
export function requireNumber(name: SystemCallName, architecture: Architecture): number {
  const number = numberOf(name, architecture);
  if (number === undefined) throw new Error(`${architecture} has no system call ${name}`);
  return number;
}
