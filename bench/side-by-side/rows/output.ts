import { text, toolCall } from "../model-server.ts";
import { atMostFloor, openWarmHost, type Row } from "../row.ts";
import { cpuMs, peakMb, resetPeak } from "../usage.ts";

const FLOOD = "yes 'a line of output of a command, as long as such lines are' | head -c 100000000";

export const output: Row = {
  name: "output",
  title: "100 MB of command output",
  rounds: 3,
  metrics: {
    command: { title: "100 MB by the bash command, wall", unit: "ms", goals: atMostFloor(1.2, "pintle full") },
    commandCpu: { title: "100 MB by the bash command, CPU", unit: "ms" },
    commandPeak: { title: "100 MB by the bash command, peak memory", unit: "MB" },
    tool: { title: "100 MB by the bash tool, wall", unit: "ms", goals: atMostFloor(1.2, "pintle full") },
    toolCpu: { title: "100 MB by the bash tool, CPU", unit: "ms" },
    toolPeak: { title: "100 MB by the bash tool, peak memory", unit: "MB" },
  },
  async measure(subject, bench) {
    await using host = await openWarmHost(subject, bench, text("warm"));
    await host.call("bash", { command: "true" });
    const timed = async (job: () => Promise<number>) => {
      resetPeak(host.pid);
      const [begun, before] = [performance.now(), cpuMs(host.pid)];
      const ms = (await job()) - begun;
      return { ms, cpu: cpuMs(host.pid) - before, peak: peakMb(host.pid) };
    };
    const command = await timed(() => host.call("bash", { command: FLOOD }));
    bench.server.answer = (count) => (count === 1 ? toolCall("bash", { command: FLOOD }) : text("done"));
    const tool = await timed(() => host.prompt("run it"));
    return {
      command: command.ms,
      commandCpu: command.cpu,
      commandPeak: command.peak,
      tool: tool.ms,
      toolCpu: tool.cpu,
      toolPeak: tool.peak,
    };
  },
};
