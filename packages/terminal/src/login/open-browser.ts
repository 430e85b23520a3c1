import { spawn } from "node:child_process";

type Environment = Readonly<Record<string, string | undefined>>;

/** The program that opens an address in the user's browser. */
const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};
const OTHER_SYSTEMS = ["xdg-open"];

/** Returns whether there is a screen for a browser, which is usually not the case over ssh. */
export function mayOpenBrowser(env: Environment): boolean {
  return process.platform in OPENERS || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY || env.BROWSER);
}

/** Resolves when the browser has been asked to open it; rejects if no program could be started. */
export function openBrowser(address: string): Promise<void> {
  const [program = "", ...args] = OPENERS[process.platform] ?? OTHER_SYSTEMS;
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args, address], { detached: true, stdio: "ignore" });
    child.once("error", (error) => reject(new Error(`No browser can be started: ${error.message}`)));
    child.once("spawn", () => {
      child.unref();
      resolve();
    });
  });
}
