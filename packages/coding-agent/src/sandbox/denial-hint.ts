import type { SandboxPolicy } from "./policy.ts";
import type { Strength } from "./strength.ts";

/** How programs say that the system refused something. Texts of the C library and of common runtimes. */
const SIGNS: readonly { pattern: RegExp; isMeant: (policy: Limits) => boolean; what: string }[] = [
  {
    pattern: /Read-only file system|\bEROFS\b/i,
    isMeant: () => true,
    what: "it may not write outside the places that are open to it",
  },
  {
    pattern:
      /Network is unreachable|\bENETUNREACH\b|Temporary failure in name resolution|\bEAI_AGAIN\b|Could not resolve host|Name or service not known|\bENOTFOUND\b|Couldn't connect to server|Failed to connect to/i,
    isMeant: ({ network }) => network === "off",
    what: "it has no network",
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
}

/** One line for a command that probably failed because of the sandbox; undefined for any other. */
export function denialHint(
  limits: Limits & Pick<SandboxPolicy, "mode">,
  strength: Pick<Strength, "level">,
  { exitCode, output }: FailedCommand,
): string | undefined {
  if (exitCode === 0 || strength.level === "none") return undefined;
  const sign = SIGNS.find(({ pattern, isMeant }) => isMeant(limits) && pattern.test(output));
  return sign && `This may be due to the sandbox (${limits.mode}) in which the command ran: ${sign.what}.`;
}
