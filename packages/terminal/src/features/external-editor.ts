import { spawn } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { App, Feature } from "../app.ts";

/** Opens the message in the user's own editor. */
export const externalEditor: Feature = (app) => {
  app.keys.on("externalEditor", () => {
    edit(app).catch((error) => app.report(error));
  });
};

async function edit(app: App): Promise<void> {
  const { env } = app.options;
  const program = env.VISUAL || env.EDITOR;
  if (!program) return app.say("Set $VISUAL or $EDITOR to write messages in an editor of your own.", "warning");
  const directory = await mkdtemp(join(tmpdir(), "pintle-"));
  try {
    const path = join(directory, "message.md");
    await writeFile(path, app.editor.fullText, { mode: 0o600 });
    await chmod(directory, 0o700);
    const code = await app.lend(() => runProgram(program, path));
    if (code === 0) app.editor.setText((await readFile(path, "utf8")).trimEnd());
    else app.say(`${program} ended with code ${code}; the message is unchanged.`, "warning");
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Like in git, the variable is a command line: `code --wait`. */
function runProgram(program: string, path: string): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", `${program} "$1"`, "pintle", path], { stdio: "inherit" });
    child.once("error", reject);
    child.once("exit", (code) => resolve(code));
  });
}
