import { spawn } from "node:child_process";

type Environment = Readonly<Record<string, string | undefined>>;

interface Row {
  isFor(env: Environment, platform: NodeJS.Platform): boolean;
  command: readonly [program: string, ...args: string[]];
}

/** Programs that write to the machine's clipboard, in the order in which they are tried. */
const PROGRAMS: readonly Row[] = [
  { isFor: (_, platform) => platform === "darwin", command: ["pbcopy"] },
  { isFor: (_, platform) => platform === "win32", command: ["clip"] },
  { isFor: ({ WAYLAND_DISPLAY }) => Boolean(WAYLAND_DISPLAY), command: ["wl-copy"] },
  { isFor: ({ DISPLAY }) => Boolean(DISPLAY), command: ["xclip", "-selection", "clipboard", "-in"] },
  { isFor: ({ DISPLAY }) => Boolean(DISPLAY), command: ["xsel", "--clipboard", "--input"] },
];
const TIMEOUT_MS = 3_000;

/** Resolves with the program that accepted the text, or with undefined if none did. */
export async function copyByProgram(
  text: string,
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): Promise<string | undefined> {
  for (const { isFor, command } of PROGRAMS) {
    if (isFor(env, platform) && (await takes(command, text, env))) return command[0];
  }
  return undefined;
}

function takes([program, ...args]: Row["command"], text: string, env: Environment): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  // Some programs stay alive to serve the clipboard: they must not hold our pipes open.
  const child = spawn(program, args, { env: { ...env }, stdio: ["pipe", "ignore", "ignore"], timeout: TIMEOUT_MS });
  child.on("error", () => resolve(false));
  child.on("exit", (code) => resolve(code === 0));
  child.stdin.on("error", () => resolve(false));
  child.stdin.end(text);
  return promise;
}
