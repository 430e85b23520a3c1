import { closeSync, writeSync } from "node:fs";

/** A guard that exits sooner than this was not killed by accident: the next one would exit as well. */
const RESTART_AFTER_MS = 1_000;

/**
 * Run by `sh`. Reads which groups are alive. End of input means that pintle has died, for whatever reason; the guard then
 * kills every listed group. Processes that created a group of their own are found by their session if there is a /proc. Out
 * of reach: a process that left the session as well (`setsid`, a daemon), and one whose name contains a line break.
 */
const GUARD = `
trap '' HUP INT QUIT TERM PIPE
groups=' '
while read -r change id <&3; do
  case $change$groups in
  +*" $id "*) ;;
  +*) groups="$groups$id " ;;
  -*" $id "*) groups="\${groups%% $id *} \${groups#* $id }" ;;
  esac
done
for id in $groups; do kill -KILL "-$id"; done
[ "$groups" != ' ' ] && [ -r /proc/self/stat ] || exit 0
for pass in 1 2 3; do
  found=
  for stat in /proc/[0-9]*/stat; do
    read -r facts <"$stat" || continue
    set -- \${facts##*) }
    case $1:$groups in
    Z:*) ;;
    *" $4 "*) found=1 pid=\${stat#/proc/} && kill -KILL "\${pid%/stat}" ;;
    esac
  done
  [ "$found" ] || exit 0
done
`;

interface Running {
  descriptor: number;
  startedAt: number;
}

/**
 * Kills the groups of pintle's commands if pintle dies without a chance to do so, by SIGKILL or a crash. One process guards all
 * commands, connected by a socket that only pintle holds; it exists while there is a group to guard.
 */
export class DeathGuard {
  readonly shell: string;
  readonly #groups = new Set<number>();
  #running: Running | undefined;

  constructor(shell: string) {
    this.shell = shell;
  }

  /**
   * Returns the descriptor on which a starting command announces its own group (`ANNOUNCE`). The command does so, not pintle, so
   * that no command ever runs unguarded. Follow with `add`, or with `closeIfIdle` if the start failed.
   */
  open(): number {
    if (!this.#running) {
      this.#running = this.#start();
      for (const group of this.#groups) this.#tell(`+ ${group}\n`);
    }
    return this.#running.descriptor;
  }

  add(group: number): void {
    this.#groups.add(group);
  }

  forget(group: number): void {
    this.#groups.delete(group);
    this.#tell(`- ${group}\n`);
    this.closeIfIdle();
  }

  closeIfIdle(): void {
    if (this.#groups.size === 0) this.#drop();
  }

  #start(): Running {
    const child = Bun.spawn([this.shell, "-c", GUARD], {
      cwd: "/", // does not keep a directory busy that the user may want to remove
      env: {},
      stdio: ["ignore", "ignore", "ignore", "socket-fd"],
      detached: true, // a signal to pintle's own group must not reach the guard
    });
    child.unref();
    const running: Running = { descriptor: child.stdio[3] as number, startedAt: performance.now() };
    // `exited` never rejects, and a guard that cannot be started is tried again later.
    void child.exited.then(() => this.#lost(running));
    return running;
  }

  /** Replaces a guard that was killed, because its groups need a new one. */
  #lost(running: Running): void {
    if (this.#running !== running) return;
    this.#drop();
    if (this.#groups.size === 0 || performance.now() - running.startedAt < RESTART_AFTER_MS) return;
    try {
      this.open();
    } catch {
      // No process can be started at the moment. The next command tries again and fails if that does not work either.
    }
  }

  #tell(line: string): void {
    if (!this.#running) return;
    try {
      writeSync(this.#running.descriptor, line);
    } catch {
      // The guard is gone, and its exit will be reported.
    }
  }

  #drop(): void {
    if (!this.#running) return;
    closeSync(this.#running.descriptor);
    this.#running = undefined;
  }
}
