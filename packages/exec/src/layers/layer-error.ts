/** No layer was opened, and the attempt left nothing behind. The message says why and is suitable for a host. */
export class LayerError extends Error {
  override name = "LayerError";
}
