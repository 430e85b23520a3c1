import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { errorText } from "@pintle/ai";
import { complain } from "../../cli/print.ts";

/** What opens a file in the browser that the user has chosen. */
const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};
const OTHER_SYSTEMS = ["xdg-open"];

/**
 * By way of a file that only the user can read: the arguments of a program can be read by all users of the machine, and the
 * address holds the token. `close` removes the file.
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
    complain(`no browser can be started, open the address by hand: ${errorText(error)}`);
  }
  return { close: () => rmSync(directory, { recursive: true, force: true }) };
}
