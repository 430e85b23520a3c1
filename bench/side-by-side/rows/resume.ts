import { join } from "node:path";
import { type Frame, Host } from "../host.ts";
import { LAST_QUESTION, MESSAGES, writeLongSession } from "../long-session.ts";
import { text } from "../model-server.ts";
import { atMost, atMostFloor, type Bench, type Figures, type Metric, openWarmHost, type Row } from "../row.ts";
import type { Subject } from "../subjects.ts";
import { cpuMs, peakMb } from "../usage.ts";

export const resume: Row = {
  name: "resume",
  title: "Resume of 10,000 messages",
  rounds: 5,
  metrics: {
    ms: { title: "resume of 10k messages to first answer", unit: "ms", goals: atMostFloor(1.6, "pintle full") },
    cpu: { title: "resume of 10k messages to first answer, CPU", unit: "ms", goals: atMostFloor(1.6, "pintle full") },
    peak: { title: "resume of 10k messages, peak memory", unit: "MB" },
    prompt: { title: "first prompt after it to model request", unit: "ms", goals: atMost(15, "pintle full") },
    promptCpu: { title: "first prompt after it to model request, CPU", unit: "ms" },
    later: { title: "later prompt with 10k messages to model request", unit: "ms" },
    laterCpu: { title: "later prompt with 10k messages to model request, CPU", unit: "ms" },
  },
  async measure(subject, { scratch, server }) {
    const file = newSession(subject, scratch);
    const started = performance.now();
    await using host = new Host(subject, subject.resume(file));
    let count = 0;
    const counted = host.until((frame: Frame) => {
      if (frame.command !== "get_state") return false;
      count = frame.data.messageCount;
      return true;
    });
    host.send({ id: "s", type: "get_state" });
    const ms = (await counted) - started;
    if (count < MESSAGES) throw new Error(`it has ${count} of the messages`);
    const cpu = cpuMs(host.pid);
    const peak = peakMb(host.pid);
    await Bun.sleep(300); // what follows a start is over
    server.answer = () => text("ok");
    const first = await promptToRequest(host, server);
    const later = await promptToRequest(host, server);
    return { ms, cpu, peak, prompt: first.ms, promptCpu: first.cpu, later: later.ms, laterCpu: later.cpu };
  },
};

const HISTORY: Readonly<Record<string, string>> = {
  switch: "switch to a session of 10k messages",
  branch: "branch of 10k messages",
  export: "export of 10k messages",
  compact: "compaction of 10k messages",
};

export const history: Row = {
  name: "history",
  title: "A conversation of 10,000 messages",
  rounds: 3,
  metrics: Object.fromEntries(
    Object.entries(HISTORY).flatMap(([key, title]): [string, Metric][] => [
      [key, { title, unit: "ms" }],
      [`${key}Cpu`, { title: `${title}, CPU`, unit: "ms" }],
    ]),
  ),
  async measure(subject, bench) {
    await using host = await openWarmHost(subject, bench, text("a summary"));
    const figures: Figures = {};
    const timed = async (key: string, type: string, params: object = {}) => {
      const [began, before] = [performance.now(), cpuMs(host.pid)];
      figures[key] = (await host.call(type, params)) - began;
      figures[`${key}Cpu`] = cpuMs(host.pid) - before;
    };
    await timed("switch", "switch_session", { sessionPath: newSession(subject, bench.scratch) });
    await timed("export", "export_html", { outputPath: join(bench.scratch, `${crypto.randomUUID()}.html`) });
    await timed("branch", "branch", { entryId: LAST_QUESTION });
    await timed("compact", "compact");
    return figures;
  },
};

function newSession(subject: Subject, scratch: string): string {
  const file = join(scratch, `${crypto.randomUUID()}.jsonl`);
  writeLongSession(file, subject.cwd);
  return file;
}

async function promptToRequest(host: Host, server: Bench["server"]): Promise<{ ms: number; cpu: number }> {
  const asked = server.nextRequest();
  const [sent, before] = [performance.now(), cpuMs(host.pid)];
  const ended = host.prompt("hello");
  const ms = (await asked) - sent;
  const cpu = cpuMs(host.pid) - before;
  await ended;
  return { ms, cpu };
}
