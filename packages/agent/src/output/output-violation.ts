/** One violation of the output schema, and its location. */
export interface OutputViolation {
  /** JSON pointer; empty for the output itself. */
  path: string;
  message: string;
}

/** Formats a violation for the model and for people. */
export function violationText({ path, message }: OutputViolation): string {
  return `${path === "" ? "(root)" : path}: ${message}`;
}
