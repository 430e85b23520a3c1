import { logBug } from "@pintle/foundation";
import type { Places } from "@pintle/foundation/left-behind";

/** Long enough that the start and the first request are over. Nothing waits for the cleanup. */
const DELAY_MS = 5_000;

/**
 * Removes leftovers of killed processes once, some time after the start. Does not keep a program alive that ends
 * before.
 */
export function tidyLater(places: Places): void {
  const timer = setTimeout(() => {
    import("@pintle/foundation/left-behind")
      .then(({ removeLeftBehind }) => removeLeftBehind(places))
      .catch((error: unknown) => logBug(error, "leftovers could not be removed: "));
  }, DELAY_MS);
  timer.unref();
}
