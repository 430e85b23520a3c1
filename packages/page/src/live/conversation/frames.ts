/** Calls the action once in the next frame, however often it is requested until then. */
export function oncePerFrame(action: () => void): () => void {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      action();
    });
  };
}
