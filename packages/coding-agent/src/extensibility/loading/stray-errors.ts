import { setOwnProcess } from "./exit-guard.ts";
import { entryBehind } from "./imported-files.ts";
import { describeThrown } from "./load-fault.ts";

/** `path` is the module that the error comes from, if its stack reveals it. */
export type ReportStray = (fault: { path: string | undefined; error: string }) => void;

/**
 * Keeps the process alive when something throws outside any call, as a module may in a timer or an unawaited promise. For
 * programs that own their process. Returns a function that undoes it.
 */
export function watchStrayErrors(report: ReportStray): () => void {
  setOwnProcess(true);
  const onError = (thrown: unknown) => report({ path: entryBehind(thrown), error: describeThrown(thrown) });
  process.on("uncaughtException", onError);
  process.on("unhandledRejection", onError);
  return () => {
    setOwnProcess(false);
    process.off("uncaughtException", onError);
    process.off("unhandledRejection", onError);
  };
}
