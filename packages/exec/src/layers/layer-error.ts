/** No layer was opened, and nothing of an attempt is left. The message says why and is suitable for a host. */
export class LayerError extends Error {
  override name = "LayerError";
}
