import { findOwnRipgrep, isUsableVersion } from "../../native/ripgrep.ts";
import type { ProcessGateway } from "../../processes/process-gateway.ts";
import type { ToolContext } from "../tool-context.ts";

const MISSING = "ripgrep is not part of this installation of pintle, and files cannot be searched without it.";
const MAX_VERSION_BYTES = 4096;
const VERSION_TIMEOUT_MS = 5_000;

const usableOnSystem = new Map<string, Promise<boolean>>();

/** The ripgrep to run. Throws what the model should read when there is none. */
export async function findRipgrep({ gateway, settings }: Pick<ToolContext, "gateway" | "settings">): Promise<string> {
  const own = await findOwnRipgrep();
  const isSystemPreferred = settings.get("search.preferSystem");
  const path = (isSystemPreferred ? await findSystemRipgrep(await gateway()) : undefined) ?? own;
  if (path === undefined) throw new Error(MISSING);
  return path;
}

async function findSystemRipgrep(gateway: ProcessGateway): Promise<string | undefined> {
  const path = gateway.which("rg", "/");
  if (path === undefined) return undefined;
  let isUsable = usableOnSystem.get(path);
  if (!isUsable) {
    isUsable = askVersion(gateway, path).then(isUsableVersion, () => false);
    usableOnSystem.set(path, isUsable);
  }
  return (await isUsable) ? path : undefined;
}

async function askVersion(gateway: ProcessGateway, path: string): Promise<string> {
  const child = gateway.start({ command: [path, "--no-config", "--version"], cwd: "/", stderr: "ignore" });
  const timer = setTimeout(() => child.stop("timed_out", 0), VERSION_TIMEOUT_MS);
  let answer = "";
  for (let chunk = await child.stdout.read(); chunk; chunk = await child.stdout.read()) {
    if (answer.length < MAX_VERSION_BYTES) answer += Buffer.from(chunk).toString("latin1");
  }
  clearTimeout(timer);
  await child.stdout.close();
  return answer;
}
