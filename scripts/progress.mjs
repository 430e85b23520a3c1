// A line that moves while something takes its time: rewritten on a terminal, elsewhere printed again every few seconds.

/**
 * `text` says what is going on and is asked anew each time; the seconds are added. `end` takes the line away from a terminal.
 * @param {() => string} text
 */
export function startProgress(text, { stream = process.stderr, everyMs = 5_000 } = {}) {
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1_000);
  const show = stream.isTTY
    ? () => stream.write(`\r\x1b[K${`${text()} … ${seconds()} s`.slice(0, (stream.columns || 80) - 1)}`)
    : () => stream.write(`  ${text()} … ${seconds()} s\n`);
  if (stream.isTTY) show();
  const timer = setInterval(show, stream.isTTY ? 500 : everyMs);
  const clear = () => {
    if (stream.isTTY) stream.write("\r\x1b[K");
  };
  return {
    /** A line that stays, above the moving one. */
    say(line) {
      clear();
      stream.write(`${line}\n`);
    },
    end() {
      clearInterval(timer);
      clear();
    },
  };
}
