/** The page that the browser shows after the login. */
const DONE = `<!doctype html><meta charset="utf-8"><title>pintle</title><p style="font: 1rem system-ui; margin: 3rem">You are logged in and can close this page.</p>`;
const PATH = "/callback";

/** Listens on this machine for the redirect after a login. */
export class RedirectListener implements Disposable {
  readonly url: string;
  /** The address that the browser was redirected to. */
  readonly redirected: Promise<string>;
  readonly #server: Bun.Server<undefined>;

  /**
   * `wanted` is the address it listened on before; if that is taken, it listens on any port. `isExpected` filters requests,
   * because any page in the browser can send requests here.
   */
  constructor(wanted: string | undefined, isExpected: (answer: URLSearchParams) => boolean) {
    const { promise, resolve } = Promise.withResolvers<string>();
    this.redirected = promise;
    const open = (port: number) =>
      Bun.serve({
        hostname: "127.0.0.1",
        port,
        fetch: (request) => {
          const { pathname, search, searchParams } = new URL(request.url);
          if (request.method !== "GET" || pathname !== PATH || !isExpected(searchParams)) {
            return new Response("not found", { status: 404 });
          }
          resolve(`${this.url}${search}`);
          const headers = {
            "content-type": "text/html",
            "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
          };
          return new Response(DONE, { headers });
        },
      });
    this.#server = openAt(open, wanted);
    this.url = `http://127.0.0.1:${this.#server.port}${PATH}`;
  }

  [Symbol.dispose](): void {
    void this.#server.stop(); // lets the response finish
  }
}

function openAt(open: (port: number) => Bun.Server<undefined>, wanted: string | undefined): Bun.Server<undefined> {
  const port = wanted === undefined ? 0 : Number(new URL(wanted).port);
  try {
    return open(port);
  } catch (error) {
    if (port === 0) throw error;
    return open(0);
  }
}
