/** The command that starts an engine: the built program, or the runtime with the entry file when run from the sources. */
export function ownProgram(): string[] {
  const isRuntime = /(^|[/\\])bun(\.exe)?$/.test(process.execPath);
  return isRuntime ? [process.execPath, Bun.main] : [process.execPath];
}
