import { basename } from "node:path";

/**
 * Whether a rule for exactly this command line always means the same work. A shell or an interpreter without a script runs
 * whatever reaches its standard input: a rule for `sh`, stored after `curl … | sh`, would allow anything. When in doubt the
 * answer is no; then the question offers no rule.
 */
export function hasFixedArguments(argv: readonly string[]): boolean {
  const [program = "", ...args] = argv;
  const name = programName(program);
  if (READS_PROGRAM.has(name) || args.some((word) => STANDARD_INPUT.test(word))) return false;
  const starter = STARTERS.get(name);
  if (starter) return startsFixedProgram(args, starter);
  const marker = args.findIndex((word) => STARTS_AFTER.get(name)?.includes(word));
  if (marker !== -1) return namesOnlyPlainPrograms(args.slice(marker + 1));
  if (SHELLS.has(name) || INTERPRETERS.has(name)) return hasScript(name, args);
  return true;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const SHELLS = words("ash bash cmd csh dash elvish fish ksh mksh nu powershell pwsh rbash sh tcsh xonsh yash zsh");

const INTERPRETERS = words(
  "bun deno elixir erl ghci groovy guile iex ipython irb java jshell julia kotlin lua luajit node nodejs osascript perl php " +
    "pypy python r racket raku rscript ruby runghc sbcl scala swift tclsh ts-node tsx",
);

/** Run what they read, whatever their arguments; or have no arguments that say all of what they do. */
const READS_PROGRAM = words(
  ". at batch builtin chroot command crontab dc ed emacs eval ex exec gdb lldb mongosh mysql nc ncat netcat nvim parallel psql rlwrap " +
    "rsh screen script socat source sqlite su telnet time tmux unshare vi vim xargs",
);

const STANDARD_INPUT = /^-$|^\/dev\/(?:stdin|fd\/|tty)|^\/proc\/(?:self|\d+)\/fd\//;

interface Starter {
  /** Short options that take the next word. */
  valued: string;
  /** Words of its own before the program. */
  own?: number;
  /** Without a program it opens a shell, or reads commands. */
  isEmptyFixed?: boolean;
  takesVariables?: boolean;
  /** Its options may hold a program of their own. */
  hasNoOptions?: boolean;
}

/** Programs that start another one, which is what must be fixed. */
const STARTERS: ReadonlyMap<string, Starter> = new Map<string, Starter>(
  Object.entries({
    busybox: { valued: "" },
    bunx: { valued: "", hasNoOptions: true },
    doas: { valued: "Cu" },
    env: { valued: "uC", isEmptyFixed: true, takesVariables: true },
    flock: { valued: "wE", own: 1 },
    ionice: { valued: "cnpPu" },
    ltrace: { valued: "aeFlnopsuwx" },
    nice: { valued: "n", isEmptyFixed: true },
    nohup: { valued: "" },
    npx: { valued: "", hasNoOptions: true },
    pipx: { valued: "", own: 1 },
    pnpx: { valued: "", hasNoOptions: true },
    setpriv: { valued: "" },
    setsid: { valued: "" },
    ssh: { valued: "BbcDEeFIiJLlmOopQRSWw", own: 1 },
    stdbuf: { valued: "ioe" },
    strace: { valued: "aeEIoOpPsSuUX" },
    sudo: { valued: "CDghpRrTtUu", takesVariables: true },
    taskset: { valued: "", own: 1 },
    timeout: { valued: "ks", own: 1 },
    uvx: { valued: "", hasNoOptions: true },
    watch: { valued: "nq" },
  }),
);

/** Programs that start another one after one of these words. */
const STARTS_AFTER: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    bun: ["x", "exec", "repl"],
    docker: ["run", "exec"],
    find: ["-exec", "-execdir", "-ok", "-okdir"],
    kubectl: ["exec", "run", "debug"],
    npm: ["exec", "x", "explore"],
    pnpm: ["dlx", "exec"],
    podman: ["run", "exec"],
    yarn: ["dlx", "exec", "node"],
  }),
);

/** The options between are not known, so any word may be the program. */
function namesOnlyPlainPrograms(args: readonly string[]): boolean {
  return args.length > 0 && !args.some((word) => isCodeRunner(programName(word)));
}

const VARIABLE = /^[A-Za-z_]\w*=/;

function startsFixedProgram(args: readonly string[], starter: Starter): boolean {
  let at = optionCount(args, starter);
  if (at === undefined) return false;
  at += starter.own ?? 0;
  while (starter.takesVariables && VARIABLE.test(args[at] ?? "")) at += 1;
  const inner = args.slice(at);
  if (inner.length === 0) return starter.isEmptyFixed === true;
  if (inner[0]?.startsWith("-")) return false; // ssh takes options after the host as well
  // ssh and watch hand their words to a shell, so one word may hold a command line.
  return hasFixedArguments(inner.length === 1 ? (inner[0] ?? "").trim().split(/\s+/) : inner);
}

/** How many words the options take. Returns undefined if one of them opens a shell, or may take a word that is not known. */
function optionCount(args: readonly string[], { valued, hasNoOptions }: Starter): number | undefined {
  let at = 0;
  for (; args[at]?.startsWith("-"); at += 1) {
    const option = args[at] ?? "";
    if (option === "--") return at + 1;
    const takesNext = takesNextWord(option, valued);
    const isLong = option.startsWith("--");
    const opensShell = !isLong && !takesNext && /[sSi]$/.test(option); // of sudo and doas; `-S` of env holds a command line
    if (hasNoOptions || opensShell || (isLong && !option.includes("="))) return undefined;
    if (takesNext) at += 1;
  }
  return at;
}

/** `-p 22` takes the next word, `-p22` has its value. */
function takesNextWord(option: string, valued: string): boolean {
  return option.length === 2 && valued.includes(option.slice(1));
}

/** Options that hold the whole program. */
const INLINE = /^(?:-[a-zA-Z]*[ce]|-p|-E|--eval|--print|--command|-Command)$/;
const PYTHON_MODULES_THAT_READ = words("asyncio code idlelib pdb runpy");

function hasScript(name: string, [first, second]: readonly string[]): boolean {
  if (first === undefined || first === "" || first.startsWith("+")) return false;
  if (!first.startsWith("-")) return true;
  if (second === undefined) return name === "node" && first === "--test";
  if (first === "-m" && /^(?:python|pypy)/.test(name)) return !PYTHON_MODULES_THAT_READ.has(second.split(".")[0] ?? "");
  return INLINE.test(first) && !readsMore(name, second);
}

/** Words by which a program text asks for another text, to run or to pass on. */
const ASKS_FOR_INPUT =
  /stdin|STDIN|\/dev\/fd|\/proc\/|\bfd\s*0\b|\bopen\(\s*0|readFileSync\(\s*0|\binput\(|\braw_input\b|\bARGF\b|\bgets\b|\breadline|<>|\$</;

function readsMore(name: string, code: string): boolean {
  if (ASKS_FOR_INPUT.test(code)) return true;
  // A shell needs no such word: what it starts inherits its input.
  return SHELLS.has(name) && code.split(/[^\w./+-]+/).some((word) => isCodeRunner(programName(word)));
}

function isCodeRunner(name: string): boolean {
  return SHELLS.has(name) || INTERPRETERS.has(name) || READS_PROGRAM.has(name) || STARTERS.has(name);
}

/** `/usr/bin/python3.12` is `python`. */
function programName(program: string): string {
  return basename(program)
    .toLowerCase()
    .replace(/\.exe$/, "")
    .replace(/(?<=[a-z])[\d.]+$/, "");
}
