import { basename, posix } from "node:path";

/**
 * Returns whether this exact command line always does the same. A shell or interpreter without a script runs whatever it reads
 * from stdin: a rule for `sh`, stored after `curl … | sh`, would allow anything. When in doubt, returns false, and the question
 * offers no rule.
 */
export function hasFixedArguments(argv: readonly string[]): boolean {
  const [program = "", ...args] = argv;
  const name = programName(program);
  if (READS_PROGRAM.has(name) || args.some(namesStandardInput)) return false;
  const starter = STARTERS.get(name);
  if (starter) return startsFixedProgram(args, starter);
  const marker = args.findIndex((word) => STARTS_AFTER.get(name)?.includes(word));
  if (marker !== -1) return namesOnlyPlainPrograms(args.slice(marker + 1));
  if (SHELLS.has(name) || INTERPRETERS.has(name)) return hasScript(name, args);
  if (FURTHER_STARTERS.has(name)) return namesOnlyPlainPrograms(args);
  return args.every((word, index) => !mayOpenInterpreter(word, args.slice(index + 1)));
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const programs = (text: string): ReadonlySet<string> => new Set(text.split(" ").map(programName));

const SHELLS = programs(
  "ash bash cmd csh dash elvish fish ksh mksh nu osh powershell pwsh rbash sh tcsh xonsh yash ysh zsh",
);

const INTERPRETERS = programs(
  "bun clisp deno elixir erl ghci groovy guile hy iex ipython irb java jshell julia kotlin lua luajit node nodejs ocaml octave " +
    "osascript perl php pypy python r racket raku rscript ruby runghc sbcl scala scheme swift tclsh ts-node tsx utop wish",
);

/** Programs that run their input whatever their arguments, or whose arguments do not determine what they do. */
const READS_PROGRAM = programs(
  ". at batch builtin chroot command crontab dc distrobox ed emacs eval ex exec expect ftp gdb gnuplot lftp lldb login m4 " +
    "machinectl mail mailx mongosh mysql nc ncat netcat newgrp nix nix-shell nvim parallel pkexec psql rlwrap rsh runuser screen " +
    "script sftp sg socat source sqlite su telnet time tmux unshare vi vim xargs",
);

/** Returns whether a word means stdin, alone or as the value of an option: `make -f-`, `--file=/dev/stdin`. */
function namesStandardInput(word: string): boolean {
  return /(?:^|=|^-[A-Za-z]+)-$/.test(word) || /dev\/(?:stdin|fd|tty)|proc\/.*fd/.test(posix.normalize(word));
}

interface Starter {
  /** Letters of short options that take the next word. */
  valued: string;
  /** Number of its own words before the program. */
  own?: number;
  /** Opens a shell or reads commands if no program is given. */
  isEmptyFixed?: boolean;
  takesVariables?: boolean;
  /** Its options may contain a program. */
  hasNoOptions?: boolean;
}

/** Programs that start another one, whose arguments must be fixed. */
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

/** For programs whose options are unknown: any word may be the program, and a container's default program reads stdin. */
function namesOnlyPlainPrograms(args: readonly string[]): boolean {
  return (
    args.some((word) => !word.startsWith("-")) &&
    !args.some((word) => isCodeRunner(programName(word)) || /^(?:-i|-it|-ti|--interactive)$/.test(word))
  );
}

/** Words with which many programs open an interactive prompt: `poetry shell`, `rails console`, `dotnet fsi`. */
const PROMPTS = words("console fsi repl shell");

/**
 * Returns whether an unlisted program may start an interpreter because of this word, which then runs its input: `uv run python`,
 * `tar --to-command=sh`. With a script after it (`uv run python a.py`), the interpreter runs the script.
 */
function mayOpenInterpreter(word: string, rest: readonly string[]): boolean {
  if (PROMPTS.has(word)) return true;
  const [, value] = word.split("=", 2);
  const [first = "", ...more] = (value ?? word).trim().split(/\s+/);
  const name = programName(first);
  if (!SHELLS.has(name) && !INTERPRETERS.has(name)) return false;
  return !hasScript(name, more.length > 0 || value !== undefined ? more : rest);
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
  // ssh and watch pass their words to a shell, so one word may contain a command line.
  return hasFixedArguments(inner.length === 1 ? (inner[0] ?? "").trim().split(/\s+/) : inner);
}

/** Returns how many words the options take, or undefined if one opens a shell or may take an unknown word. */
function optionCount(args: readonly string[], { valued, hasNoOptions }: Starter): number | undefined {
  let at = 0;
  for (; args[at]?.startsWith("-"); at += 1) {
    const option = args[at] ?? "";
    if (option === "--") return at + 1;
    const takesNext = takesNextWord(option, valued);
    const isLong = option.startsWith("--");
    const opensShell = !isLong && !takesNext && /[sSi]$/.test(option); // for sudo and doas; `env -S` takes a command line
    if (hasNoOptions || opensShell || (isLong && !option.includes("="))) return undefined;
    if (takesNext) at += 1;
  }
  return at;
}

/** Returns whether an option takes the next word: `-p 22` does, `-p22` includes its value. */
function takesNextWord(option: string, valued: string): boolean {
  return option.length === 2 && valued.includes(option.slice(1));
}

/** Options that contain the whole program. */
const INLINE = /^(?:-[a-zA-Z]*[ce]|-p|-E|--eval|--print|--command|-Command)$/;
const PYTHON_MODULES_THAT_READ = words("asyncio code idlelib pdb runpy");

function hasScript(name: string, [first, second]: readonly string[]): boolean {
  if (first === undefined || first === "" || first.startsWith("+")) return false;
  if (!first.startsWith("-")) return true;
  if (second === undefined) return name === "node" && first === "--test";
  if (first === "-m" && /^(?:python|pypy)/.test(name)) return !PYTHON_MODULES_THAT_READ.has(second.split(".")[0] ?? "");
  return INLINE.test(first) && !readsMore(name, second);
}

/** Words with which a program reads more input, to run or pass on. */
const ASKS_FOR_INPUT =
  /stdin|STDIN|\/dev\/fd|\/proc\/|\bfd\s*0\b|\bopen\(\s*0|readFileSync\(\s*0|\binput\(|\braw_input\b|\bARGF\b|\bgets\b|\breadline|<>|\$</;

function readsMore(name: string, code: string): boolean {
  if (ASKS_FOR_INPUT.test(code)) return true;
  // A shell needs no such word, because the programs it starts inherit its stdin.
  return SHELLS.has(name) && code.split(/[^\w./+-]+/).some((word) => isCodeRunner(programName(word)));
}

function isCodeRunner(name: string): boolean {
  return SHELLS.has(name) || INTERPRETERS.has(name) || READS_PROGRAM.has(name) || STARTERS.has(name);
}

/** Programs that start another one and whose options are unknown. Without a program, some of them open a shell. */
const FURTHER_STARTERS = programs(
  "bwrap capsh catchsegv chrt cpulimit dbus-run-session eatmydata entr fakeroot faketime firejail gtimeout linux32 linux64 " +
    "nsenter numactl prlimit proxychains proxychains4 run-parts setarch start-stop-daemon systemd-run toybox torsocks " +
    "torify unbuffer xvfb-run",
);

/** Matches awk and sed scripts that start another program: `BEGIN{system(x)}`, `1e curl`, `s/a/b/e`. */
const STARTING_TEXTS: ReadonlyMap<string, RegExp> = new Map([
  ...["awk", "gawk", "mawk", "nawk"].map((name): [string, RegExp] => [name, /system|getline|\|/]),
  ...["sed", "gsed"].map((name): [string, RegExp] => [
    name,
    /(?:^|[\s\d$/!;{])e(?:\s|$)|\/[gimp\d]*e[gimp\d]*(?:[\s;}]|$)/i,
  ]),
]);

/**
 * Returns whether a program may start another one that its name does not reveal: a shell, `env`, `find`, the dynamic loader, git
 * with configuration on the command line, or an interpreter without a script.
 */
export function startsAnother([program = "", ...args]: readonly string[]): boolean {
  const name = programName(program);
  if (SHELLS.has(name) || READS_PROGRAM.has(name) || STARTERS.has(name) || FURTHER_STARTERS.has(name)) return true;
  if (name === "find" || /^ld(?:-linux|-musl|\.so|\.$)/.test(basename(program))) return true;
  if (name === "git") return configuresGit(args);
  const starting = STARTING_TEXTS.get(name);
  if (starting) return args.some((word) => starting.test(word));
  return INTERPRETERS.has(name) && !namesScript(args);
}

/** Options of git that take the next word, before its subcommand. */
const VALUED_BY_GIT = words("-C --git-dir --namespace --work-tree");

/** Returns whether a git call configures git itself, because an alias or pager may be any program: `git -c alias.x=push x`. */
function configuresGit(args: readonly string[]): boolean {
  for (let at = 0; args[at]?.startsWith("-"); at += VALUED_BY_GIT.has(args[at] ?? "") ? 2 : 1)
    if (/^(?:-c|--config-env|--exec-path)/.test(args[at] ?? "")) return true;
  return false;
}

/** Subcommands of interpreters that run text or programs. */
const RUNS_TEXT = words("eval exec repl x");
const ONLY_INFORMS = words("--help --test --version -V -h -m -v");

/** Returns whether an interpreter runs a script file or only prints information, not code from its arguments or stdin. */
function namesScript([first = ""]: readonly string[]): boolean {
  return ONLY_INFORMS.has(first) || (/^[^-+]/.test(first) && !RUNS_TEXT.has(first) && !namesStandardInput(first));
}

/** Returns a program's plain name: `python` for `/usr/bin/python3.12`. */
function programName(program: string): string {
  return basename(program)
    .toLowerCase()
    .replace(/\.exe$/, "")
    .replace(/(?<=[a-z])[\d.]+$/, "");
}
