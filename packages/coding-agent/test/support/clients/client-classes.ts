import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type PublishedFiles, publishedFiles } from "./published-package.ts";

export type PublishedClient = Omit<PublishedFiles, "files">;

// biome-ignore lint/suspicious/noExplicitAny: classes of other programs; their types are not part of what is fetched
export type ClientClass = new (options: object) => any;

/** pi's client has no dependencies; older versions read lines with Node's reader. */
export async function piClientFile(published: PublishedClient): Promise<string> {
  const directory = await publishedFiles({ ...published, files: ["dist/modes/rpc", "package.json"] });
  return join(directory, "dist/modes/rpc/rpc-client.js");
}

export async function piClient(published: PublishedClient): Promise<ClientClass> {
  return (await import(await piClientFile(published))).RpcClient;
}

/**
 * Its client reads lines and starts processes with a separate package, which uses a native module (350 MB) to end processes.
 * Only that module is replaced here.
 */
export async function ompClient(client: PublishedClient, utils: PublishedClient): Promise<ClientClass> {
  const directory = await publishedFiles({ ...client, files: ["src/modes/rpc", "package.json"] });
  const modules = join(directory, "node_modules/@oh-my-pi");
  mkdirSync(join(modules, "pi-natives"), { recursive: true });
  cpSync(await publishedFiles({ ...utils, files: ["src", "package.json"] }), join(modules, "pi-utils"), {
    recursive: true,
  });
  writeFileSync(join(modules, "pi-natives/package.json"), '{ "type": "module", "main": "index.js" }\n');
  writeFileSync(join(modules, "pi-natives/index.js"), PLAYED_NATIVES);
  return (await import(join(directory, "src/modes/rpc/rpc-client.ts"))).RpcClient;
}

const PLAYED_NATIVES = `
export class Process {
  static fromPid(pid) {
    return new Process(pid);
  }
  constructor(pid) {
    this.pid = pid;
  }
  async terminate() {
    process.kill(this.pid, "SIGTERM");
  }
}
export const ProcessStatus = {};
export class FileLock {}
export function renderMermaidAscii() {}
`;
