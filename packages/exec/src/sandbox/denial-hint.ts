import type { SandboxPolicy } from "./policy.ts";
import type { Strength } from "./strength.ts";

interface Sign {
  pattern: RegExp;
  isMeant: (policy: Limits) => boolean;
  what: string | ((limits: Limits) => string);
  /** Means the sandbox also in the output of a command that ended well, as `npm install | tail` does. */
  isCertain?: boolean;
}

/** How programs report that the system refused something. Messages of the C library and of common runtimes. */
const SIGNS: readonly Sign[] = [
  {
    isCertain: true,
    pattern: /Read-only file system|\bEROFS\b/i,
    isMeant: () => true,
    what: "it may write only to the places that are open to it",
  },
  {
    isCertain: true,
    pattern:
      /Network is unreachable|\bENETUNREACH\b|Temporary failure in name resolution|\bEAI_AGAIN\b|Could not resolve host|Name or service not known|\bENOTFOUND\b|Couldn't connect to server|Failed to connect to/i,
    isMeant: ({ network }) => network !== "on",
    what: ({ network }) =>
      network === "off"
        ? "it has no network"
        : "it reaches only the hosts of sandbox.network, through the proxy that HTTP_PROXY names",
  },
  {
    pattern: /Permission denied|\bEACCES\b|Operation not permitted|\bEPERM\b/i,
    isMeant: () => true,
    what: "it may write only to the places that are open to it, and reach no other process, socket or secret",
  },
];

type Limits = Pick<SandboxPolicy, "network">;

export interface FailedCommand {
  exitCode: number;
  /** The end of what it wrote. */
  output: string;
  /** What the list of hosts did not allow. */
  refusals?: readonly string[];
}

/** Returns one line for a command that probably failed because of the sandbox, and undefined for any other. */
export function denialHint(
  limits: Limits & Pick<SandboxPolicy, "mode"> & { mayEscalate: boolean },
  strength: Pick<Strength, "level">,
  { exitCode, output, refusals = [] }: FailedCommand,
): string | undefined {
  if (strength.level === "none") return undefined;
  const canEscalate = limits.mode !== "read-only" && limits.mayEscalate;
  const advice = canEscalate ? " If it must run outside, call bash again with escalate: true and a reason." : "";
  if (refusals.length > 0) return `${refusals.join("\n")}.${advice}`;
  const sign = SIGNS.find(
    ({ pattern, isMeant, isCertain = false }) =>
      isMeant(limits) && (isCertain || exitCode !== 0) && pattern.test(output),
  );
  if (!sign) return undefined;
  const what = typeof sign.what === "string" ? sign.what : sign.what(limits);
  return `This may be due to the sandbox (${limits.mode}) in which the command ran: ${what}.${advice}`;
}
