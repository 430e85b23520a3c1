/**
 * One attempt to escape from the sandbox. A script prints ESCAPED if it succeeds; changes outside, connections to outside
 * servers and surviving processes are detected from outside, without its help.
 */
export interface Attempt {
  /** Describes the attempt. */
  name: string;
  /** A shell script, or one for Python with `call(number, …)` for system calls. */
  run: { sh: string } | { python: string };
  /** At strength `full` every attempt is stopped. If it may pass at `partial`, this says why. */
  partial: "stopped" | { passes: string };
  /**
   * Why the attempt is not made without a sandbox, where it should succeed: an attempt that never succeeds proves
   * nothing.
   */
  notBare?: string;
  /** Set if only root could succeed even without a sandbox. */
  needsRoot?: true;
  /** Set if the user works in the home directory itself. */
  workspace?: "home";
  /** Variables that the model sets. */
  env?: Readonly<Record<string, string>>;
  /** Run outside before the attempt. */
  before?: string;
  /** Run outside afterwards, whatever the outcome. */
  after?: string;
}

export const LANDLOCK_TREE = "Landlock grants a whole tree; it cannot take a part of it back";
export const LANDLOCK_READS = "reading is not restricted, or no program would start";
export const LANDLOCK_METADATA = "Landlock does not know mode, owner, times and attributes of a file";
