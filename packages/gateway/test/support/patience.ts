/**
 * How long helpers wait for something that must happen, in milliseconds: a little less than a test may take, so that the failure says
 * what was missing. A busy machine may take many times as long as an idle one.
 */
export const PATIENCE_MS = 50_000;
