import { writeSync } from "node:fs";
import { delay } from "@pintle/ai";
import { Player, type Scenario } from "@pintle/simulator";
import { printText } from "../../cli/print.ts";
import { LineInput } from "../../modes/rpc/line-input.ts";

/** Plays the scenario as this process. */
export async function playOnStdio(scenario: Scenario, patienceMs: number): Promise<void> {
  const player = new Player(scenario, { write: printText, crash, patienceMs });
  const input = new LineInput(Bun.stdin.stream());
  input.deliverTo({ onLine: (line) => player.receive(line), onOverlongLine: () => player.receive("") });
  input.ended.then(
    () => player.hostClosed(),
    () => player.hostClosed(),
  );
  await player.play();
}

async function crash({
  code = 1,
  signal,
  stderr,
}: {
  code?: number;
  signal?: string;
  stderr?: string;
}): Promise<never> {
  if (stderr !== undefined) writeSync(2, stderr);
  if (signal === undefined) process.exit(code);
  process.kill(process.pid, signal);
  for (;;) await delay(1000); // until the signal arrives
}
