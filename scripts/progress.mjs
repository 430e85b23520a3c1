// A progress line for long operations: rewritten on a terminal, elsewhere printed again every few seconds.

/**
 * `text` describes the current activity and is called each time; the seconds are appended. `end` removes the line from
 * a terminal.
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
    /** Prints a permanent line above the moving one. */
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
