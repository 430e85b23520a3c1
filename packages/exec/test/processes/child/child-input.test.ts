import { describe, expect, test } from "bun:test";
import { ProcessRunner } from "../../../src/processes/process-runner.ts";
import { readAll } from "../../support/processes/read-all.ts";

const processRunner = new ProcessRunner({ environment: process.env });
const start = (script: string) =>
  processRunner.start({ command: ["sh", "-c", script], cwd: "/", stdin: "pipe", stderr: "ignore" });

describe("the input of a child", () => {
  test("receives everything that is written, however much", async () => {
    const child = start("wc -c");
    await child.stdin?.write("x".repeat(3_000_000));
    await child.stdin?.write("y");
    child.stdin?.end();
    child.stdin?.end();
    expect((await readAll(child.stdout)).trim()).toBe("3000001");
    expect((await child.exited).code).toBe(0);
  });

  test("without a reader rejects, and so does one that was ended", async () => {
    const child = start("exec 0<&-; echo closed; sleep 86400");
    await child.stdout.read();
    const failed = await child.stdin?.write("x".repeat(100_000)).catch((error: Error) => error.message);
    expect(failed).toBe("The program no longer reads its input");
    child.stdin?.end();
    const ended = await child.stdin?.write("x").catch((error: Error) => error.message);
    expect(ended).toBe("The input of the program is closed");
    child.stop("aborted", 0);
    await Promise.all([child.exited, child.stdout.close()]);
    child.stdin?.end();
  });

  test("is there only for those who ask for it", async () => {
    const child = processRunner.start({ command: ["sh", "-c", "cat; echo end"], cwd: "/", stderr: "ignore" });
    expect(child.stdin).toBeUndefined();
    expect(await readAll(child.stdout)).toBe("end\n");
  });
});
