import { logBug } from "@pintle/foundation";
import type { Places } from "@pintle/foundation/left-behind";

/** Nothing waits for it, so it comes when the start and the first request are long over. */
const DELAY_MS = 5_000;

/** Removes what killed processes have left behind, once, some time after the start. A program that ends before does not wait. */
export function tidyLater(places: Places): void {
  const timer = setTimeout(() => {
    import("@pintle/foundation/left-behind")
      .then(({ removeLeftBehind }) => removeLeftBehind(places))
      .catch((error: unknown) => logBug(error, "leftovers could not be removed: "));
  }, DELAY_MS);
  timer.unref();
}
