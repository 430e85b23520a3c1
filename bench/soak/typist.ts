// Simulates a user who does not look at the screen: types, pastes and sends at random in the real terminal while the
// session asks at random moments. Nothing may be allowed, applied, confirmed or trusted except what was chosen on a
// focused question. `bun bench/soak/typist.ts [runs [seconds [seed]]]` from the repository's root, after a build; four
// run at once.
import { type TypistReport, typeAtRandom } from "../../packages/terminal/test/support/random-typist.ts";

const [runs = 20, seconds = 60, seed = 1] = process.argv.slice(2).map(Number);
const AT_ONCE = 4;

const reports: TypistReport[] = [];
const mistakes: string[] = [];
let next = seed;

async function work(): Promise<void> {
  while (next < seed + runs) {
    const own = next++;
    const report = await typeAtRandom(own, seconds * 1_000);
    reports.push(report);
    const { chosen, done } = report;
    mistakes.push(...done.filter((effect) => !chosen.includes(effect)).map((effect) => `seed ${own}: ${effect}`));
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, work));
const sum = (count: (report: TypistReport) => number) => reports.reduce((total, report) => total + count(report), 0);
console.log(
  `${reports.length} runs of ${seconds} s: ${sum(({ keys }) => keys)} key presses, ${sum(({ pastes }) => pastes)} pastes, ` +
    `${sum(({ calls }) => calls)} calls that needed an answer`,
);
console.log(`on purpose: ${sum(({ chosen }) => chosen.length)} chosen, ${sum(({ done }) => done.length)} carried out`);
console.log(`by accident: ${mistakes.length}`);
for (const mistake of mistakes) console.log(`  ${mistake}`);
process.exitCode = mistakes.length > 0 || sum(({ done }) => done.length) === 0 ? 1 : 0;
