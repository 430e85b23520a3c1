import { setOwnProcess } from "./exit-guard.ts";
import { entryBehind } from "./imported-files.ts";
import { describeThrown } from "./load-fault.ts";

/** `path` is the module it comes from, where its stack tells. */
export type ReportStray = (fault: { path: string | undefined; error: string }) => void;

/**
 * Keeps the process alive when something throws outside of every call, as a module does in a timer or in a promise it
 * forgot. For programs that own their process. Gives the function that takes it back.
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
