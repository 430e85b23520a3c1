// Runs the command line of a conformance suite once per line of stdin, `{ script, args }`, and prints `{ code, output }`. A suite
// takes longer to load its libraries than to run a scenario; here they are loaded once, and each run gets a fresh copy of the
// suite's own module.
import { readLines } from "../scenarios/lines.ts";

/** Thrown when the suite ends its process. */
class Exit extends Error {}

// The suite catches unknown errors and exits a second time, outside any await.
process.on("unhandledRejection", (error) => {
  if (!(error instanceof Exit)) throw error;
});

const { stdout } = process;
let count = 0;
for await (const line of readLines(Bun.stdin.stream())) {
  const { script, args }: { script: string; args: string[] } = JSON.parse(line);
  const output: unknown[] = [];
  for (const level of ["log", "info", "warn", "error"] as const) console[level] = (...parts) => output.push(...parts);
  process.argv = [process.execPath, script, ...args];
  count += 1;
  const code = await new Promise<unknown>((resolve, reject) => {
    process.exit = (value = process.exitCode ?? 0) => {
      resolve(value);
      throw new Exit();
    };
    // The list of scenarios is printed while the module loads, without ending the process.
    import(`${script}?run=${count}`).then(
      () => args[0] === "list" && resolve(0),
      (error) => error instanceof Exit || reject(error),
    );
  });
  stdout.write(`${JSON.stringify({ code, output: output.join("\n") })}\n`);
}
