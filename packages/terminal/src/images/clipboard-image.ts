import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MAX_IMAGE_BYTES } from "./attached-images.ts";
import { imageType } from "./image-type.ts";

type Environment = Readonly<Record<string, string | undefined>>;

interface Way {
  /** The program to start; error messages name it if it is missing. */
  program: string;
  isFor(env: Environment, platform: NodeJS.Platform): boolean;
  /** Rejects if the program is missing or there is no image. */
  read(): Promise<Buffer>;
  /** True if the program communicates with the terminal itself. */
  needsTerminal?: true;
}

const TIMEOUT_MS = 10_000;
const TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif"];

/** The programs, in the order in which they are tried. */
const WAYS: readonly Way[] = [
  {
    program: "the clipboard of the system",
    isFor: (_, platform) => platform === "darwin" || platform === "win32",
    read: async () => (await Bun.Image.fromClipboard()?.png().toBuffer()) ?? Buffer.alloc(0),
  },
  {
    program: "wl-paste",
    isFor: ({ WAYLAND_DISPLAY }) => Boolean(WAYLAND_DISPLAY),
    read: async () => {
      const offered = (await run("wl-paste", "--list-types")).toString().split("\n");
      return run("wl-paste", "--no-newline", "--type", firstOf(offered));
    },
  },
  {
    program: "xclip",
    isFor: ({ DISPLAY }) => Boolean(DISPLAY),
    read: async () => {
      const get = (target: string) => run("xclip", "-selection", "clipboard", "-target", target, "-out");
      return get(firstOf((await get("TARGETS")).toString().split("\n")));
    },
  },
  {
    program: "kitten",
    isFor: ({ KITTY_WINDOW_ID }) => Boolean(KITTY_WINDOW_ID),
    read: readByKitten,
    needsTerminal: true,
  },
];

export interface ClipboardParts {
  env: Environment;
  platform: NodeJS.Platform;
  /** Lends the terminal to another program until the promise settles. */
  lend<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Returns the image in the desktop's clipboard. Rejects with a message for the user if there is none, or if it cannot
 * be read.
 */
export async function clipboardImage({ env, platform, lend }: ClipboardParts): Promise<Buffer> {
  const ways = WAYS.filter(({ isFor }) => isFor(env, platform));
  const missing: string[] = [];
  for (const { program, read, needsTerminal } of ways) {
    try {
      const bytes = await (needsTerminal ? lend(read) : read());
      if (imageType(bytes) !== undefined) return bytes;
    } catch (error) {
      if (isMissing(error)) missing.push(program);
    }
  }
  if (ways.length > missing.length) throw new Error("There is no image in the clipboard (PNG, JPEG, WebP or GIF).");
  const wanted = ways.length === 0 ? "a desktop (none was found here), or kitty" : missing.join(" or ");
  throw new Error(`The clipboard cannot be read: that takes ${wanted}. An image can also be named by its path.`);
}

function firstOf(offered: readonly string[]): string {
  const type = TYPES.find((one) => offered.includes(one));
  if (type === undefined) throw new Error("no image");
  return type;
}

/** Reads through the terminal, so it also works over ssh. */
async function readByKitten(): Promise<Buffer> {
  const directory = await mkdtemp(join(tmpdir(), "pintle-"));
  try {
    const path = join(directory, "clipboard.png");
    await run("kitten", "clipboard", "--get-clipboard", path);
    return await readFile(path);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function run(program: string, ...args: string[]): Promise<Buffer> {
  const options = { encoding: "buffer", maxBuffer: MAX_IMAGE_BYTES * 2, timeout: TIMEOUT_MS } as const;
  return new Promise((resolve, reject) => {
    execFile(program, args, options, (error, stdout) => (error ? reject(error) : resolve(stdout)));
  });
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
