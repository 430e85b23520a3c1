import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text, toolCall } from "../model-server.ts";
import { atMost, openWarmHost, type Row } from "../row.ts";

const TURNS = 20;

export const toolLoop: Row = {
  name: "tools",
  title: "20-turn tool loop",
  rounds: 5,
  metrics: { turn: { title: "one turn with a tool call (read)", unit: "ms", goals: atMost(3, "pintle full") } },
  async measure(subject, bench) {
    const path = join(subject.cwd, "small.txt");
    writeFileSync(path, "a small file\n");
    await using host = await openWarmHost(subject, bench, text("warm"));
    const read = (count: number) => (count <= TURNS ? toolCall("read", { path }) : text("done"));
    for (const _ of ["warm", "measured"]) {
      bench.server.answer = read;
      await host.prompt("read it");
    }
    // The time from one model request to the next is exactly one turn.
    const { requests } = bench.server;
    if (requests.length !== TURNS + 1) throw new Error(`${requests.length - 1} of ${TURNS} turns`);
    return { turn: (requests.at(-1)! - requests[0]!) / TURNS };
  },
};
