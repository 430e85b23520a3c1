// Compares the terminal with pi's: time to the first line of the editor, and CPU time while an answer streams with 100
// deltas per second. Each has its own terminal and uses the same model on loopback; they take turns. Linux only.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { startModelServer } from "./side-by-side/model-server.ts";
import { prepareSubjects, type Subject } from "./side-by-side/subjects.ts";
import { median, printTable } from "./support/table.ts";

const STARTS = 11;
const STREAM_SECONDS = 10;
const DELTAS_PER_SECOND = 100;
const TICK_MS = 10; // of /proc/PID/stat
const COLUMNS = 100;
const ROWS = 40;

interface Shown extends AsyncDisposable {
  pid: number;
  type(text: string): void;
  /** Resolves when the output contains it. */
  has(text: string): Promise<void>;
}

function show({ command, cwd, env }: Subject): Shown {
  let text = "";
  let onData = Promise.withResolvers<void>();
  const decoder = new TextDecoder();
  const child = Bun.spawn(atTerminal(command), {
    cwd,
    env: { ...env, TERM: "xterm-256color", COLORTERM: "truecolor", LANG: "C.UTF-8" },
    terminal: {
      cols: COLUMNS,
      rows: ROWS,
      data: (_, data) => {
        text += decoder.decode(data, { stream: true });
        onData.resolve();
        onData = Promise.withResolvers();
      },
    },
  });
  return {
    pid: child.pid,
    type: (typed) => void child.terminal?.write(typed),
    async has(wanted) {
      while (!text.includes(wanted)) await onData.promise;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
      child.terminal?.close();
    },
  };
}

/** The program without its mode for hosts. */
function atTerminal(command: readonly string[]): string[] {
  const at = command.indexOf("--mode");
  return command.toSpliced(at, 2);
}

/** CPU time of a process and its children, in milliseconds. */
function cpuOfTree(pid: number): number {
  const stats = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const [head = "", tail = ""] = readFileSync(`/proc/${name}/stat`, "utf8").split(") ");
        const fields = tail.split(" ");
        return [
          { pid: Number.parseInt(head, 10), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) },
        ];
      } catch {
        return []; // ended in the meantime
      }
    });
  const tree = new Set([pid]);
  for (let size = 0; size !== tree.size; ) {
    size = tree.size;
    for (const stat of stats) if (tree.has(stat.parent)) tree.add(stat.pid);
  }
  return stats.filter((stat) => tree.has(stat.pid)).reduce((sum, { ticks }) => sum + ticks * TICK_MS, 0);
}

function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** What the model writes, delta by delta: paragraphs of sixty words, or code blocks of forty lines. */
const ANSWERS = {
  text: (index: number) => `word${index} ${index % 60 === 0 ? "\n\n" : ""}`,
  code: (index: number) => CODE[index % CODE.length]!,
};
const CODE = [
  "\n```ts\n",
  ...Array.from({ length: 40 }, (_, line) =>
    line % 10 === 0
      ? ["// Reads row ", `${line} of `, "the table.\n"]
      : ["  const row = ", `await next(\`\${table}:`, `${line}\`, { limit: `, "100 });\n"],
  ).flat(),
  "```\n",
];

function pacedAnswer(delta: (index: number) => string): ReadableStream<string> {
  const event = (content: string, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta: { content }, finish_reason }] })}\n\n`;
  const start = performance.now();
  let sent = 0;
  return new ReadableStream({
    async pull(controller) {
      await Bun.sleep(Math.max(0, start + (sent * 1000) / DELTAS_PER_SECOND - performance.now()));
      sent += 1;
      if (sent <= STREAM_SECONDS * DELTAS_PER_SECOND) {
        controller.enqueue(event(delta(sent - 1)));
        return;
      }
      controller.enqueue(`${event("\nfinis", "stop")}data: [DONE]\n\n`);
      controller.close();
    },
  });
}

using server = startModelServer();
const { present, absent, scratch } = prepareSubjects(server.url, ["pintle delta", "pi"]);
const subjects = present.filter(({ name }) => name === "pintle delta" || name === "pi");
const starts = new Map(subjects.map(({ name }) => [name, [] as number[]]));
for (let round = 0; round <= STARTS; round += 1) {
  for (const subject of subjects) {
    const start = performance.now();
    await using shown = show(subject);
    await shown.has("───");
    if (round > 0) starts.get(subject.name)?.push(performance.now() - start);
  }
}
const rows: (string | number)[][] = [["", "first line ms", "answer", "terminal % of a core", "with engine %"]];
for (const subject of subjects) {
  for (const [kind, delta] of Object.entries(ANSWERS)) {
    await using shown = show(subject);
    await shown.has("───");
    await Bun.sleep(3_000); // it has settled
    server.answer = () => pacedAnswer(delta) as unknown as BodyInit; // Bun turns a stream of strings into one of bytes
    shown.type("go\r");
    await server.nextRequest();
    const before = { own: cpuOf(shown.pid), tree: cpuOfTree(shown.pid), at: performance.now() };
    await shown.has("finis");
    const wall = performance.now() - before.at;
    const share = (ms: number) => ((100 * ms) / wall).toFixed(1);
    const name = subject.name === "pi" ? `pi ${subject.version}` : `pintle ${subject.version}`;
    const start = median(starts.get(subject.name) ?? []).toFixed(0);
    rows.push([name, start, kind, share(cpuOf(shown.pid) - before.own), share(cpuOfTree(shown.pid) - before.tree)]);
  }
}
printTable(rows);
for (const { name, reason } of absent) console.log(`${name}: not measured, ${reason}`);
rmSync(scratch, { recursive: true, force: true });
