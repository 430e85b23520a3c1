// What `npm test` says: a line per check and group as they end, then what was skipped, then every failure with its text, then the sum.

/** @param {{ log: (line: string) => void }} out */
export function createReport(out) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  const failures = [];
  const skipped = [];

  function row(name, result, seconds) {
    out.log(`${name.padEnd(30)} ${result.padEnd(34)} ${seconds.toFixed(1).padStart(6)} s`);
  }

  return {
    /** A check as a whole, such as the types. */
    check(name, { ok, seconds, text }) {
      total[ok ? "passed" : "failed"] += 1;
      if (!ok) failures.push({ file: "", name, text });
      row(name, ok ? "ok" : "FAILED", seconds);
    },
    tests(name, { counts, seconds, ...found }) {
      for (const kind of Object.keys(total)) total[kind] += counts[kind];
      failures.push(...found.failures);
      skipped.push(...found.skipped);
      row(name, describeCounts(counts), seconds);
    },
    /** A check or a group that needs what this machine does not have. Where it must, as in CI, it has failed. */
    skip(name, reason) {
      const isFailure = process.env.CI === "true";
      total[isFailure ? "failed" : "skipped"] += 1;
      if (isFailure) failures.push({ file: "", name, text: reason });
      else skipped.push({ file: "", name: `${name} [${reason}]` });
      row(name, isFailure ? "FAILED" : `SKIPPED: ${reason}`, 0);
    },
    failure(name, text) {
      total.failed += 1;
      failures.push({ file: "", name, text });
    },
    /** Gives whether everything is well. */
    end() {
      if (skipped.length > 0) out.log("\nSkipped:");
      for (const test of skipped) out.log(`  ${label(test)}`);
      for (const failure of failures) out.log(`\nFAILED ${label(failure)}\n${indent(failure.text)}`);
      out.log(`\n${describeCounts(total)}`);
      return total.failed === 0;
    },
  };
}

/** `N passed, N failed`, and skipped ones if there are any. */
export function describeCounts({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

export function label({ file, name }) {
  return file === "" ? name : `${file}: ${name}`;
}

function indent(text) {
  return text.replace(/^(?=.)/gm, "  ");
}
