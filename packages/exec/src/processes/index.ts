export type { OutputLimits } from "./output/kept-ends.ts";
export { OutputCollector } from "./output/output-collector.ts";
export { OutputResolver } from "./output/output-resolver.ts";
export { keepTail } from "./output/terminal-text.ts";
export { type Child, type ChildExit, ProcessRunner } from "./process-runner.ts";
export { BASH_LIMITS, toBashResult } from "./shell/bash-result.ts";
export {
  runShellCommand,
  type ShellCommand,
  type ShellEnd,
  type ShellResult,
  toShellResult,
} from "./shell/shell-command.ts";
