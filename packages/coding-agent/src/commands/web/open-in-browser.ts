import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { errorText } from "@pintle/ai";
import { complain } from "../../cli/print.ts";

/** Programs that open a file in the user's browser. */
const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};
const OTHER_SYSTEMS = ["xdg-open"];

/**
 * Opens the address through a file that only the user can read: all users of the machine can read a program's arguments, and
 * the address contains the token. `close` removes the file.
 */
export function openInBrowser(address: string): { close(): void } {
  const directory = mkdtempSync(join(tmpdir(), "pintle-web-"));
  const file = join(directory, "open.html");
  writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0;url=${address}">`, { mode: 0o600 });
  try {
    const [program = "", ...args] = OPENERS[process.platform] ?? OTHER_SYSTEMS;
    const child = Bun.spawn([program, ...args, pathToFileURL(file).href], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
    });
    child.unref();
  } catch (error) {
    complain(`cannot start a browser; open the address yourself (${errorText(error)})`);
  }
  return { close: () => rmSync(directory, { recursive: true, force: true }) };
}
