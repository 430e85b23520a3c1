import { expect, test } from "bun:test";
import { join } from "node:path";
import { testWith } from "../../support/system-tool.ts";

const source = join(import.meta.dir, "../../../src/modes/print/ordered-output.ts");

/** Runs its arguments with a stdout that reports that it is full instead of blocking the writer. */
const NON_BLOCKING = "import os,sys;os.set_blocking(1,False);os.execv(sys.argv[1],sys.argv[1:])";

testWith("python3")("a reader that is slow gets everything, in order", async () => {
  const script = `
    import { OrderedOutput } from ${JSON.stringify(source)};
    const output = new OrderedOutput();
    for (let n = 0; n < 3000; n += 1) output.write(1, String(n).padStart(99) + "\\n");
    const fault = await output.drained();
    process.exit(fault ? 1 : 0);`;
  const child = Bun.spawn(
    ["sh", "-c", 'python3 -c "$2" "$0" -e "$1" | { sleep 0.3; cat; }', process.execPath, script, NON_BLOCKING],
    { stdout: "pipe" },
  );
  const lines = (await new Response(child.stdout).text()).trimEnd().split("\n");
  expect(lines.map(Number)).toEqual(Array.from({ length: 3000 }, (_, n) => n));
});

test.each([
  ["/dev/full", "ENOSPC"],
  ["/dev/null", "undefined"],
])("what %s does not take is known in the end", async (target, code) => {
  const script = `
    import { OrderedOutput } from ${JSON.stringify(source)};
    const output = new OrderedOutput();
    output.write(1, "x");
    output.write(2, String((await output.drained())?.code));`;
  const child = Bun.spawn(["sh", "-c", `"$0" -e "$1" > ${target}`, process.execPath, script], { stderr: "pipe" });
  expect(await new Response(child.stderr).text()).toBe(code);
});
