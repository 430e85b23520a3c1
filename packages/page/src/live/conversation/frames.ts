/** Calls the action in the next frame, once, however often it is asked for until then. */
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
