/**
 * One way out of the sandbox that is tried. A script says ESCAPED when it got what it wanted; changes outside, connections to
 * the world outside and processes that live on are seen from outside, without its help.
 */
export interface Attempt {
  /** What it tries. */
  name: string;
  /** A shell script, or one for Python with `call(number, …)` for system calls. */
  run: { sh: string } | { python: string };
  /** At strength `full` every attempt is stopped. At `partial` it may pass, and this says why. */
  partial: "stopped" | { passes: string };
  /** Why it is not made without a sandbox, where it would succeed: an attempt that never succeeds proves nothing. */
  notBare?: string;
  /** Only root could do it anyway. */
  needsRoot?: true;
  /** The user works in the home directory itself. */
  workspace?: "home";
  /** Variables the model asks for. */
  env?: Readonly<Record<string, string>>;
  /** Run outside first. */
  before?: string;
  /** Run outside afterwards, whatever came of it. */
  after?: string;
}

export const LANDLOCK_TREE = "Landlock grants a whole tree; it cannot take a part of it back";
export const LANDLOCK_READS = "reading is not restricted, or no program would start";
export const LANDLOCK_METADATA = "Landlock does not know mode, owner, times and attributes of a file";
