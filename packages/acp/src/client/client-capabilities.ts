import { isRecord } from "@pintle/ai";

/** The capabilities that the client declared. Everything it did not declare is off. */
export interface ClientAbilities {
  readsFiles: boolean;
  writesFiles: boolean;
  hasTerminal: boolean;
  /** The client can show forms with fields. */
  showsForms: boolean;
  showsNotices: boolean;
  showsCompaction: boolean;
  /** The client can start this program in a terminal for a login. */
  hasLoginTerminal: boolean;
}

export function readAbilities(capabilities: unknown): ClientAbilities {
  const at = (...path: string[]) =>
    path.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), capabilities);
  return {
    readsFiles: at("fs", "readTextFile") === true,
    writesFiles: at("fs", "writeTextFile") === true,
    hasTerminal: at("terminal") === true,
    showsForms: isRecord(at("elicitation", "form")),
    showsNotices: isRecord(at("session", "notices")),
    showsCompaction: isRecord(at("session", "compaction")),
    hasLoginTerminal: at("auth", "terminal") === true,
  };
}
