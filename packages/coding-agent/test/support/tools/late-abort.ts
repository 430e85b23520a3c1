/** A signal that is not aborted when a tool first checks it, but is when it checks again. */
export function abortedWhenAskedAgain(): AbortSignal {
  const controller = new AbortController();
  const { signal } = controller;
  signal.throwIfAborted = () => {
    if (signal.aborted) throw signal.reason;
    controller.abort(new Error("stop"));
  };
  return signal;
}
