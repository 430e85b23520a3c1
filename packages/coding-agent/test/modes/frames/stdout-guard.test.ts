import { expect, test } from "bun:test";
import { join } from "node:path";

const rpc = (file: string) => join(import.meta.dir, "../../../src/modes/rpc", file);

async function runChild(code: string, stdin = ""): Promise<{ stdout: string; stderr: string; exitCode: number }> {
  const child = Bun.spawn([process.execPath, "-e", code], { stdin: new Blob([stdin]), stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { stdout, stderr, exitCode };
}

const START = `
  import { guardStdout } from ${JSON.stringify(rpc("../frames/stdout-guard.ts"))};
  import { FrameWriter } from ${JSON.stringify(rpc("../frames/frame-writer.ts"))};
  const writer = new FrameWriter({ sink: guardStdout() });
  writer.send({ type: "ready" });
`;

test("what other code prints goes to stderr, and stdout carries frames only", async () => {
  const { stdout, stderr, exitCode } = await runChild(`${START}
    console.log("noise of %s", "log");
    console.info("noise of info");
    console.debug("noise of debug");
    console.table([{ noise: "of table" }]);
    console.dir({ noise: "of dir" });
    console.dirxml({ noise: "of dirxml" });
    console.count("noise of count");
    console.group("noise of group");
    console.groupEnd();
    console.time("noise of time");
    console.timeLog("noise of time");
    console.timeEnd("noise of time");
    console.trace("noise of trace");
    console.assert(false, "noise of assert");
    console.clear();
    console.write("noise of write\\n");
    new console.Console(process.stdout).log("noise of Console");
    process.stdout.write("noise of process.stdout\\n");
    await Bun.write(Bun.stdout, "noise of Bun.stdout\\n");
    writer.send({ type: "agent_start" });
    await writer.drain();
  `);
  expect(stdout).toBe('{"type":"ready"}\n{"type":"agent_start"}\n');
  const sources = [
    "log",
    "info",
    "debug",
    "table",
    "dir",
    "dirxml",
    "count",
    "group",
    "time",
    "trace",
    "assert",
    "write",
    "Console",
    "process.stdout",
    "Bun.stdout",
  ];
  const silent = sources.filter((source) => !new RegExp(`noise(: ["']| │ |\\W+)?.*of ${source}`, "s").test(stderr));
  expect(silent).toEqual([]);
  expect(exitCode).toBe(0);
});

test("the descriptor itself is no way to stdout either", async () => {
  const { stdout, exitCode } = await runChild(`${START}
    import { writeSync } from "node:fs";
    writeSync(1, "noise");
    await Bun.write(Bun.file(1), "noise");
    await Bun.write("/dev/stdout", "noise");
    const direct = Bun.file(1).writer();
    direct.write("noise");
    await direct.end();
    Bun.spawnSync(["sh", "-c", "echo noise"], { stdout: "inherit", stderr: "inherit" });
    writer.send({ type: "notice", message: "x".repeat(300_000) });
    await writer.drain();
  `);
  expect(stdout).toBe(`{"type":"ready"}\n{"type":"notice","message":"${"x".repeat(300_000)}"}\n`);
  expect(exitCode).toBe(0);
});

test("stdin belongs to the protocol: others find it empty", async () => {
  const { stdout } = await runChild(
    `${START}
      import { guardStdin } from ${JSON.stringify(rpc("stdin-guard.ts"))};
      const stdin = guardStdin();
      process.stdin.on("data", (data) => writer.send({ type: "stolen" }));
      writer.send({ type: "others", text: await Bun.stdin.text() });
      for await (const chunk of stdin) writer.send({ type: "ours", text: new TextDecoder().decode(chunk) });
      await writer.drain();
    `,
    "a frame",
  );
  expect(
    stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual([{ type: "ready" }, { type: "others", text: "" }, { type: "ours", text: "a frame" }]);
});
