// The single moving line while jobs run in parallel; everything else is printed above it, a whole line at a time.
import { startProgress } from "../progress.mjs";

/** How often the line is repeated where it cannot move. */
const EVERY_MS = 30_000;

/** @param {{ total: () => number, summary: () => string }} what how many jobs there are, and the results so far */
export function startBoard({ total, summary }, stream = process.stdout) {
  const running = new Map();
  let done = 0;
  const text = () => {
    const jobs = [...running].map(([name, state]) => (state === "" ? name : `${name} ${state}`));
    return `${done} of ${total()} jobs done, ${summary()}; running: ${jobs.join(", ")}`;
  };
  const progress = startProgress(text, { stream, everyMs: EVERY_MS });
  return {
    /** Runs a job and shows it while it runs. `job` gets a function to report its position. */
    async show(name, job) {
      running.set(name, "");
      try {
        return await job((state) => running.set(name, state));
      } finally {
        running.delete(name);
        done += 1;
      }
    },
    say: (line) => progress.say(line),
    end: () => progress.end(),
  };
}
