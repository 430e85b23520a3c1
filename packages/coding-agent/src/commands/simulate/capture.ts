import { writeFileSync } from "node:fs";
import { type RecordedLine, scenarioFrom } from "@pintle/simulator";
import { JsonlReader } from "@pintle/wire";
import { printText } from "../../cli/print.ts";
import { UsageError } from "../../cli/usage-error.ts";

/** Runs a real agent for the host and writes their conversation as a scenario. Returns the agent's exit code. */
export async function captureScenario(command: readonly string[], file: string): Promise<number> {
  if (command.length === 0)
    throw new UsageError("pintle simulate --capture FILE -- COMMAND… needs the command of an agent");
  const agent = Bun.spawn([...command], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const lines: RecordedLine[] = [];
  const started = performance.now();
  const keep = (way: RecordedLine["way"]) =>
    new JsonlReader({
      onLine: (text) => lines.push({ way, text, atMs: Math.round(performance.now() - started) }),
      onOverlongLine: () => {},
    });
  const fromHost = keep("host");
  const toAgent = async () => {
    for await (const chunk of Bun.stdin.stream()) {
      fromHost.push(chunk);
      await agent.stdin.write(chunk);
      await agent.stdin.flush();
    }
    await agent.stdin.end();
  };
  const fromAgent = keep("agent");
  const toHost = async () => {
    for await (const chunk of agent.stdout) {
      fromAgent.push(chunk);
      await printText(chunk);
    }
  };
  // The agent may end first. What the host sends after that does not matter.
  const hostEnded = toAgent().catch(() => {});
  await toHost();
  const code = await agent.exited;
  await Promise.race([hostEnded, Promise.resolve()]);
  writeFileSync(file, `${JSON.stringify(scenarioFrom(lines), null, 2)}\n`, { mode: 0o600 });
  return code;
}
