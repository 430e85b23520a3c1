import { StartUpError } from "../../../config/start-up-error.ts";
import type { Frame } from "../../frames/update-frames.ts";
import type { UpdateLayout } from "../../frames/update-json.ts";
import { type ApprovalDialog, confirmApproval, selectApproval } from "../host/approval-dialogs.ts";
import { OMP_FRAMES } from "./omp-frames.ts";
import { PI_FRAMES } from "./pi-frames.ts";
import { SEED_FRAMES } from "./seed-frames.ts";

export type Dialect = "seed" | "pi" | "omp";

/** Returns the dialect: that of the flag, else that of the environment, else `seed`. Any other word prevents the start. */
export function parseDialect(flag: string | undefined, environment: string | undefined): Dialect {
  const word = flag ?? (environment || "seed"); // an empty variable counts as not set
  if (Object.hasOwn(DIALECTS, word)) return word as Dialect;
  throw new StartUpError(`Unknown dialect "${word}": it must be seed, pi or omp`);
}

/** Facts that frames do not contain. */
export interface DialectSurroundings {
  /** Whether the host decides on previews and so must receive them in every dialect. */
  isPreviewByHost(): boolean;
  /** Whether the host requested this type of event by name. */
  isNamed(type: string): boolean;
  /** Returns the model and its thinking level. */
  config(): { model: object; thinkingLevel: string };
  /** Prints a notice that this dialect has no frame for. */
  printNotice(notice: { level: string; message: string }): void;
}

/** One frame, several frames, or undefined if nothing is sent. */
type Spoken = Frame | readonly Frame[] | undefined;
export type Rewrite = (frame: never, surroundings: DialectSurroundings) => Spoken;

interface DialectRules {
  /**
   * When `prompt` and `abort_and_prompt` are answered: immediately, with a possible late failure, or once, after the
   * preflight.
   */
  promptAnswer: "at-once" | "after-preflight";
  updates: UpdateLayout;
  /** Whether every host receives `setTitle`; otherwise only hosts whose environment requests it do. */
  sendsTitle: boolean;
  /** Dialog for approvals on hosts that show dialogs but did not declare approvals. */
  approvalDialog?: ApprovalDialog;
  /** Ends a block that an aborted or failed message leaves open, before the message ends. */
  endsOpenBlocks?: true;
  /** Hosts may negotiate protocol version 2. */
  sendsChunks?: true;
  /** The host may resolve URIs with its own schemes (`set_host_uri_schemes`). */
  resolvesUris?: true;
  /** `--mode json` rewrites events like `--mode rpc`; otherwise it writes them as emitted. */
  rewritesJsonMode?: true;
  /** Whether every host receives the output of `bash` as it runs; otherwise only hosts that request it by name do. */
  streamsBash: boolean;
  /** Whether sessions are stored where pi stores them. */
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

/** Returns a frame in a dialect. A frame that needs no change is returned as the same object. */
export function toDialect<F extends Frame>(frame: F, dialect: Dialect, surroundings: DialectSurroundings): Spoken {
  const { frames } = DIALECTS[dialect];
  return Object.hasOwn(frames, frame.type) ? frames[frame.type]!(frame as never, surroundings) : frame;
}
