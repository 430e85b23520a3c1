import type { SandboxPolicy } from "./policy.ts";
import type { Strength } from "./strength.ts";

interface Sign {
  pattern: RegExp;
  isMeant: (policy: Limits) => boolean;
  what: string | ((limits: Limits) => string);
  /** Output that points to the sandbox even if the exit code is 0, as with `npm install | tail`. */
  isCertain?: boolean;
}

/** Messages by which the C library and common runtimes report that the system denied access. */
const SIGNS: readonly Sign[] = [
  {
    isCertain: true,
    pattern: /Read-only file system|\bEROFS\b/i,
    isMeant: () => true,
    what: "it allows writes only to certain directories",
  },
  {
    isCertain: true,
    pattern:
      /Network is unreachable|\bENETUNREACH\b|Temporary failure in name resolution|\bEAI_AGAIN\b|Could not resolve host|Name or service not known|\bENOTFOUND\b|Couldn't connect to server|Failed to connect to/i,
    isMeant: ({ network }) => network !== "on",
    what: ({ network }) =>
      network === "off"
        ? "it has no network access"
        : "it reaches only the hosts of sandbox.network, through the proxy that HTTP_PROXY names",
  },
  {
    pattern: /Permission denied|\bEACCES\b|Operation not permitted|\bEPERM\b/i,
    isMeant: () => true,
    what: "it allows writes only to certain directories, and no access to other processes, sockets or secrets",
  },
];

type Limits = Pick<SandboxPolicy, "network">;

export interface FailedCommand {
  exitCode: number;
  /** The end of its output. */
  output: string;
  /** Connections that the allow-list refused. */
  refusals?: readonly string[];
}

/** Returns one line for a command that probably failed because of the sandbox, otherwise undefined. */
export function denialHint(
  limits: Limits & Pick<SandboxPolicy, "mode"> & { mayEscalate: boolean },
  strength: Pick<Strength, "level">,
  { exitCode, output, refusals = [] }: FailedCommand,
): string | undefined {
  if (strength.level === "none") return undefined;
  const canEscalate = limits.mode !== "read-only" && limits.mayEscalate;
  const advice = canEscalate
    ? " If the command must run outside, call bash again with escalate: true and a reason."
    : "";
  if (refusals.length > 0) return `${refusals.join("\n")}.${advice}`;
  const sign = SIGNS.find(
    ({ pattern, isMeant, isCertain = false }) =>
      isMeant(limits) && (isCertain || exitCode !== 0) && pattern.test(output),
  );
  if (!sign) return undefined;
  const what = typeof sign.what === "string" ? sign.what : sign.what(limits);
  return `The sandbox (${limits.mode}) in which the command ran may be the cause: ${what}.${advice}`;
}
