/** How an engine is started: the built program by itself, in the sources the runtime with the file that was started. */
export function ownProgram(): string[] {
  const isRuntime = /(^|[/\\])bun(\.exe)?$/.test(process.execPath);
  return isRuntime ? [process.execPath, Bun.main] : [process.execPath];
}
