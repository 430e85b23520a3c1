// Runs file tools of the built program while another program continuously swaps a directory and a link: `bun
// bench/soak/path-races.ts [calls]` from the repository's root, after a build. No call may touch a file outside. Linux
// only.
import { PATH_RACES, runRace } from "../../packages/coding-agent/test/support/scenarios/path-race.ts";

const [calls = 10_000] = process.argv.slice(2).map(Number);
const TURNS = 10;

let outside = 0;
for (const [name, race] of Object.entries(PATH_RACES)) {
  const total = { calls: 0, inside: 0, outside: 0 };
  while (total.calls < calls) {
    const report = await runRace(race, TURNS);
    total.calls += report.calls;
    total.inside += report.inside;
    total.outside += report.outside;
  }
  outside += total.outside;
  console.log(`${name}: ${total.calls} calls, ${total.inside} inside, ${total.outside} outside`);
}
process.exitCode = outside === 0 ? 0 : 1;
