import { spawn } from "node:child_process";

type Environment = Readonly<Record<string, string | undefined>>;

/** What opens an address in the browser that the user has chosen. */
const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};
const OTHER_SYSTEMS = ["xdg-open"];

/** There is a screen that a browser could be on: over ssh there usually is none. */
export function mayOpenBrowser(env: Environment): boolean {
  return process.platform in OPENERS || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY || env.BROWSER);
}

/** Resolves when the browser was asked to; rejects when nothing could be started. */
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
