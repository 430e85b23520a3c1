import { StartUpError } from "../../../config/start-up-error.ts";
import type { Frame } from "../../frames/update-frames.ts";
import type { UpdateLayout } from "../../frames/update-json.ts";
import { type ApprovalDialog, confirmApproval, selectApproval } from "../host/approval-dialogs.ts";
import { OMP_FRAMES } from "./omp-frames.ts";
import { PI_FRAMES } from "./pi-frames.ts";
import { SEED_FRAMES } from "./seed-frames.ts";

export type Dialect = "seed" | "pi" | "omp";

/** Which dialect to speak: the flag, else the environment, else `seed`. Any other word is a reason not to start. */
export function parseDialect(flag: string | undefined, environment: string | undefined): Dialect {
  const word = flag ?? (environment || "seed"); // set to nothing is not set
  if (Object.hasOwn(DIALECTS, word)) return word as Dialect;
  throw new StartUpError(`Unknown dialect "${word}": it must be seed, pi or omp`);
}

/** What the frames cannot say themselves. */
export interface DialectSurroundings {
  /** Previews are decided by the host, so it must hear of them in every dialect. */
  isPreviewByHost(): boolean;
  /** The host has asked for this type of event by name. */
  isNamed(type: string): boolean;
  /** What answers, and how much it thinks. */
  config(): { model: object; thinkingLevel: string };
  /** Takes a notice that has no frame. */
  printNotice(notice: { level: string; message: string }): void;
}

/** One frame, several, or none: it is not sent. */
type Spoken = Frame | readonly Frame[] | undefined;
export type Rewrite = (frame: never, surroundings: DialectSurroundings) => Spoken;

interface DialectRules {
  /** When `prompt` and `abort_and_prompt` are answered: at once with a late failure possible, or once, after the preflight. */
  promptAnswer: "at-once" | "after-preflight";
  updates: UpdateLayout;
  /** `setTitle` is sent to every host; otherwise to those whose environment asks for it. */
  sendsTitle: boolean;
  /** Asks a host that shows dialogs, but did not ask for approvals, whether a tool call may run. */
  approvalDialog?: ApprovalDialog;
  /** A block that an aborted or failed message leaves open is ended before the message is. */
  endsOpenBlocks?: true;
  /** Hosts may negotiate protocol version 2. */
  sendsChunks?: true;
  /** The host may resolve addresses of its own schemes (`set_host_uri_schemes`). */
  resolvesUris?: true;
  /** `--mode json` writes events as `--mode rpc` does; otherwise as they are emitted. */
  rewritesJsonMode?: true;
  /** The output of `bash` is sent while it runs; otherwise to hosts that ask for it by name. */
  streamsBash: boolean;
  /** Sessions are where pi has them. */
  usesPiSessions: boolean;
  /** Rewrites by frame type. Other frames are sent unchanged. */
  frames: Readonly<Record<string, Rewrite>>;
}

/** All differences between the dialects. No other code may ask which one is in use. */
export const DIALECTS: Record<Dialect, DialectRules> = {
  seed: {
    promptAnswer: "at-once",
    updates: "twice",
    sendsTitle: false,
    streamsBash: false,
    usesPiSessions: false,
    frames: SEED_FRAMES,
  },
  pi: {
    promptAnswer: "after-preflight",
    updates: "once",
    sendsTitle: true,
    approvalDialog: confirmApproval,
    endsOpenBlocks: true,
    rewritesJsonMode: true,
    streamsBash: true,
    usesPiSessions: true,
    frames: PI_FRAMES,
  },
  omp: {
    promptAnswer: "at-once",
    updates: "twice",
    sendsTitle: true,
    approvalDialog: selectApproval,
    sendsChunks: true,
    resolvesUris: true,
    rewritesJsonMode: true,
    streamsBash: false,
    usesPiSessions: false,
    frames: OMP_FRAMES,
  },
};

/** The frame as it is written in a dialect. A frame that needs no change is the same object. */
export function toDialect<F extends Frame>(frame: F, dialect: Dialect, surroundings: DialectSurroundings): Spoken {
  const { frames } = DIALECTS[dialect];
  return Object.hasOwn(frames, frame.type) ? frames[frame.type]!(frame as never, surroundings) : frame;
}
