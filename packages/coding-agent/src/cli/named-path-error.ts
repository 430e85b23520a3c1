import { errorText } from "@pintle/ai";
import { fileError } from "@pintle/foundation";

/** A file or directory named on the command line cannot be used. The process exits with code 1. */
export class NamedPathError extends Error {}

/** Returns, for example, `Cannot read notes.txt: no such file or directory (ENOENT).` */
export function namedPathError(action: string, path: string, error: unknown): unknown {
  const plain = fileError(action, path, error);
  return plain === error ? error : new NamedPathError(errorText(plain));
}
