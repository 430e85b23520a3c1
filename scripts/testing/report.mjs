// The output of `npm test`: a line per check and group as they end, then every failure with its message, the slowest
// groups, why tests were skipped, and the totals.
import { cpus } from "node:os";
import { describeSkips } from "./skips.mjs";

const SLOWEST = 5;

/** @param {{ log: (line: string) => void }} out */
export function createReport(out) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  const failures = [];
  const skipped = [];
  const durations = [];

  function row(name, result, seconds) {
    durations.push({ name, seconds });
    out.log(`${name.padEnd(30)} ${result.padEnd(34)} ${seconds.toFixed(1).padStart(6)} s`);
  }

  return {
    /** A check as a whole, such as the types. */
    check(name, { ok, seconds, text, result = ok ? "ok" : "FAILED" }) {
      total[ok ? "passed" : "failed"] += 1;
      if (!ok) failures.push({ file: "", name, text });
      row(name, result, seconds);
    },
    tests(name, { counts, seconds, ...found }) {
      for (const kind of Object.keys(total)) total[kind] += counts[kind];
      failures.push(...found.failures);
      skipped.push(...found.skipped);
      row(name, describeCounts(counts), seconds);
    },
    /** A check or group that needs something this machine lacks. In CI it counts as failed. */
    skip(name, reason) {
      const isFailure = process.env.CI === "true";
      total[isFailure ? "failed" : "skipped"] += 1;
      if (isFailure) failures.push({ file: "", name, text: reason });
      else skipped.push({ file: name, name: `${name} [${reason}]` });
      row(name, isFailure ? "FAILED" : `SKIPPED: ${reason}`, 0);
    },
    failure(name, text) {
      total.failed += 1;
      failures.push({ file: "", name, text });
    },
    /** The totals so far. */
    counts: () => ({ ...total }),
    /**
     * Returns whether everything passed.
     * @param {{ busyProcessors?: number }} facts the average over the whole run
     */
    end({ busyProcessors } = {}) {
      for (const failure of failures) out.log(`\nFAILED ${label(failure)}\n${indent(failure.text)}`);
      const slowest = durations.sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
      if (slowest.length > 0) out.log("\nSlowest:");
      for (const { name, seconds } of slowest) out.log(`  ${name.padEnd(28)} ${seconds.toFixed(1).padStart(6)} s`);
      if (busyProcessors !== undefined)
        out.log(`\n${busyProcessors.toFixed(1)} of ${cpus().length} processors were busy on average`);
      if (skipped.length > 0) out.log("\nSkipped:");
      for (const line of describeSkips(skipped)) out.log(`  ${line}`);
      out.log(`\n${describeCounts(total)}`);
      return total.failed === 0;
    },
  };
}

/** `N passed, N failed`, and the skipped ones if there are any. */
export function describeCounts({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

export function label({ file, name }) {
  return file === "" ? name : `${file}: ${name}`;
}

function indent(text) {
  return text.replace(/^(?=.)/gm, "  ");
}
