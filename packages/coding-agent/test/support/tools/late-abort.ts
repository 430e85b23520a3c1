/** A signal that has not fired when a tool looks at it first, and has when it looks again. */
export function abortedWhenAskedAgain(): AbortSignal {
  const controller = new AbortController();
  const { signal } = controller;
  signal.throwIfAborted = () => {
    if (signal.aborted) throw signal.reason;
    controller.abort(new Error("stop"));
  };
  return signal;
}
