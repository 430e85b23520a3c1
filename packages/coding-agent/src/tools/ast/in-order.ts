/**
 * Works on items ahead of the one that is handed over: `parallel` at a time, and never more than `atMost` begun or waiting to
 * be taken. Results come in the order of the items.
 */
export async function* inOrder<T, R>(
  items: readonly T[],
  { parallel, atMost }: { parallel: number; atMost: number },
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const begun: Promise<R>[] = [];
  const inLine: (() => void)[] = [];
  let active = 0;
  let isOver = false;

  const workInTurn = async (item: T): Promise<R> => {
    if (active < parallel) active += 1;
    else await new Promise<void>((resolve) => inLine.push(resolve)); // a job that ends hands over its place
    try {
      if (isOver) throw new Error("nobody waits for this any more");
      return await work(item);
    } finally {
      const next = inLine.shift();
      if (next) next();
      else active -= 1;
    }
  };

  try {
    for (const item of items) {
      const result = workInTurn(item);
      result.catch(() => {}); // it is waited for later; until then a failure is not unhandled
      begun.push(result);
      if (begun.length >= atMost) yield await begun.shift()!;
    }
    while (begun.length > 0) yield await begun.shift()!;
  } finally {
    isOver = true;
    await Promise.allSettled(begun);
  }
}
