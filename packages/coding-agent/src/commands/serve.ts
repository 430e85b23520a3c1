import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { onAbort } from "@pintle/ai";
import type { JoinedCluster } from "@pintle/cluster";
import {
  checkOrigins,
  createGateway,
  isLoopback,
  type LivePage,
  type NodeListen,
  parseListenAddress,
  ServeError,
  type StdioStreams,
  serve,
} from "@pintle/gateway";
import { PERMISSION_MODES, type PermissionMode } from "@pintle/wire";
import { changeDirectory } from "../cli/change-directory.ts";
import { announce, complain } from "../cli/print.ts";
import { UsageError } from "../cli/usage-error.ts";
import { homeDirectory } from "../config/home-dir.ts";
import type { Environment } from "../config/keys/environment.ts";
import type { Settings } from "../config/settings/settings.ts";
import { StartUpError } from "../config/start-up-error.ts";
import { guardStdout } from "../modes/frames/stdout-guard.ts";
import { guardStdin } from "../modes/rpc/stdin-guard.ts";
import type { GatewayTraces } from "../traces/gateway-traces.ts";
import { isTraced } from "../traces/open-run-trace.ts";
import { version } from "../version.ts";
import { createHostSettings } from "./host-settings.ts";
import { ownProgram } from "./own-program.ts";
import { openStore } from "./serve-store.ts";
import { readEngineOptions, readLimits, readServerSettings } from "./server-settings.ts";
import type { CallOf } from "./subcommand-flags.ts";

interface ServeCall extends CallOf<"serve"> {
  /** `pintle web`: the user who starts the server uses its page. */
  isOwnPage?: boolean;
  /** Called once the page can be opened. */
  onListening?: (address: string) => void;
}

const DEFAULT_ADDRESS = "127.0.0.1:0";

/** Runs `pintle serve`: serves many sessions to many hosts, until a signal arrives or, with --stdio, the parent ends. */
export async function run(call: ServeCall): Promise<number> {
  const { flags, words, env } = call;
  if (words.length > 0) throw new UsageError("pintle serve takes no arguments");
  changeDirectory(flags.cwd);
  const settings = readServerSettings(flags.set, env);
  // First, so that output of other code never mixes with the parent's frames.
  const stdio = flags.stdio ? { input: guardStdin(), output: guardStdout() } : undefined;
  try {
    return await runServer({ ...call, settings, stdio });
  } catch (error) {
    throw error instanceof ServeError ? new StartUpError(error.message) : error;
  }
}

interface ServerParts extends ServeCall {
  settings: Settings;
  stdio: StdioStreams | undefined;
}

async function runServer({
  flags,
  env,
  ending,
  settings,
  stdio,
  onListening,
  isOwnPage,
}: ServerParts): Promise<number> {
  // Sessions do not need these secrets.
  const { PINTLE_SERVE_TOKEN: token, PINTLE_SERVE_STORE: storeVariable, ...others } = env;
  const { PINTLE_SERVE_STORE_LISTEN: listenVariable, ...workerEnv } = others;
  const limits = readLimits(settings);
  const allowOrigins = [...settings.get("serve.allowOrigins"), ...(flags["allow-origin"] ?? [])];
  checkOrigins(allowOrigins); // before anything starts
  const url = flags.store ?? storeVariable;
  const directory = flags["session-dir"];
  const cluster = url
    ? await openStore({
        url,
        listenUrl: flags["store-listen"] ?? listenVariable,
        settings,
        env,
        limits,
        directory,
        ending,
        report: complain,
      })
    : undefined;
  const nodes = readNodes(flags, cluster);
  const max = freest(settings);
  const traces = await openTraces(env, settings);
  const gateway = createGateway({
    command: ownProgram(),
    workerArgs: [...presetArgs(settings), ...workerArgs(flags, cluster?.options.sessionDir ?? directory)],
    env: workerEnv,
    version,
    limits,
    roots: readRoots(flags, settings),
    allowedEnv: settings.get("serve.env"),
    allowKeys: settings.get("serve.allowKeys") || (isOwnPage === true && mayStoreKeys(flags, settings)),
    permissions: { max, allowAlways: settings.get("serve.allowAlways") },
    isHostStrict: flags["strict-host"] ?? false,
    hostSettings: createHostSettings({ max, env: settings.get("serve.env"), network: settings.get("sandbox.network") }),
    ...readEngineOptions(settings, limits),
    cluster,
    jobSlots: settings.get("serve.jobs"),
    relay:
      nodes && cluster?.relay({ tokenFile: nodes.tokenFile, maxQueuedBytes: limits.maxQueuedBytes, report: complain }),
    traces,
    log: complain,
  });
  const isLocal = (flags.stdio || flags.socket !== undefined) && !nodes;
  const address = flags.listen ?? (isLocal && !flags.web ? undefined : DEFAULT_ADDRESS);
  const server = await serve({
    gateway,
    limits,
    stdio,
    socket: flags.socket === undefined ? undefined : resolve(flags.socket),
    listen:
      address === undefined
        ? undefined
        : {
            address,
            token,
            tokenFile: flags["token-file"],
            publicHosts: flags["public-host"] ?? [],
            allowOrigins,
            maxAuthFailures: settings.get("serve.maxAuthFailures"),
            livePage: flags.web && readLivePage,
            readBlob: flags.web && ((digest) => readBlob(digest, env, cluster)),
            nodes,
          },
    report: announce,
  });
  if (server.address !== undefined) onListening?.(server.address);
  await Promise.race([server.parentGone, new Promise<void>((resolve) => onAbort(ending, resolve))]);
  await server.stop();
  await traces?.close();
  return 0;
}

/**
 * Whether the page of `pintle web` may store keys although `serve.allowKeys` is not set: only if no other machine and no other
 * origin reaches the server. The page needs the token, and requests of other origins are refused.
 */
function mayStoreKeys(flags: CallOf<"serve">["flags"], settings: Settings): boolean {
  const isLocal = flags.listen === undefined || isLoopback(parseListenAddress(flags.listen));
  const isReachable = [flags["public-host"], flags["allow-origin"], settings.get("serve.allowOrigins")].some(
    (names = []) => names.length > 0,
  );
  return isLocal && !isReachable && settings.origin("serve.allowKeys").layer === "default";
}

/** Without a shared token, nodes share the database but serve only their own sessions. */
function readNodes(flags: CallOf<"serve">["flags"], cluster: JoinedCluster | undefined): NodeListen | undefined {
  const file = flags["cluster-token-file"];
  const address = flags["node-address"];
  if (file === undefined && address !== undefined) throw new UsageError("--node-address needs --cluster-token-file");
  if (file === undefined) return undefined;
  if (!cluster) throw new UsageError("--cluster-token-file needs --store");
  const { nodes, nodeSocket: socket } = cluster;
  return { socket, tokenFile: file, address, announce: (reached) => nodes.announce(reached) };
}

/** Loads the recorder only if a receiver is configured. */
async function openTraces(env: Environment, settings: Settings): Promise<GatewayTraces | undefined> {
  if (!isTraced({ env, settings })) return undefined;
  const { gatewayTraces } = await import("../traces/gateway-traces.ts");
  return gatewayTraces({ env, settings, version, warn: complain });
}

/** Loads the page on demand, because it is large and most servers have no browser as a host. */
async function readLivePage(): Promise<LivePage> {
  const { livePage } = await import("./web/live-page.ts");
  return livePage;
}

/** Reads images from the store, because another node may have, or have had, the session. */
async function readBlob(
  digest: string,
  env: Environment,
  cluster: JoinedCluster | undefined,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { readPicture } = await import("./web/read-picture.ts");
  const own = readPicture(digest, join(homeDirectory(env), "blobs"));
  const stored = own ? undefined : await cluster?.readBlob(digest);
  return own ?? (stored && Uint8Array.from(stored));
}

function readRoots(flags: CallOf<"serve">["flags"], settings: Settings): string[] {
  const named = flags.root ?? settings.get("serve.roots");
  const roots = named.length > 0 ? named.map((path) => resolve(path)) : [process.cwd()];
  const absent = roots.find((path) => !statSync(path, { throwIfNoEntry: false })?.isDirectory());
  if (absent !== undefined) throw new StartUpError(`${absent} is not a directory, so sessions cannot work in it`);
  return roots;
}

/** Preset of a server's new sessions, unless the user has chosen one. */
const SERVED_PRESET: PermissionMode = "workspace";

const hasPreset = (settings: Settings) => settings.origin("permissions.mode").layer !== "default";

function presetArgs(settings: Settings): string[] {
  return hasPreset(settings) ? [] : ["--set", `permissions.mode=${SERVED_PRESET}`];
}

/** The most permissive preset that hosts may choose, which includes the one that sessions start with. */
function freest(settings: Settings): PermissionMode {
  const beginning = hasPreset(settings) ? settings.get("permissions.mode") : SERVED_PRESET;
  const modes = [settings.get("serve.maxPermissions"), beginning];
  return PERMISSION_MODES.findLast((mode) => modes.includes(mode)) ?? SERVED_PRESET;
}

/** Returns the flags that a server passes on to its sessions: where they are stored, and the settings of this start. */
function workerArgs(flags: CallOf<"serve">["flags"], directory: string | undefined): string[] {
  const set = (flags.set ?? []).flatMap((value) => ["--set", value]);
  const strict = flags["strict-host"] ? ["--strict-host"] : [];
  return [...(directory === undefined ? [] : ["--session-dir", resolve(directory)]), ...strict, ...set];
}
