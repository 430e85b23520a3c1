import { afterAll, expect } from "bun:test";
import { BROWSER, closePages, openPage } from "../../support/browser/browser.ts";
import { LiveServer } from "../../support/browser/live-server.ts";
import { says } from "../../support/scenarios/chat-server.ts";
import { testWith } from "../../support/system-tool.ts";

const test = testWith(BROWSER);
afterAll(closePages);

test("a page of another origin gets nothing, even with the token", async () => {
  await using server = await LiveServer.start({ answers: [says("hello")] });
  const session = await server.session({}, "a secret");
  const { origin: url, token } = server;
  const stranger = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response("<!doctype html><html data-ready>", { headers: { "content-type": "text/html" } }),
  });
  try {
    const { page } = await openPage(`http://127.0.0.1:${stranger.port}/`);
    const got = await page.evaluate(
      async ([address, secret, id]) => {
        const socket = await new Promise((resolve) => {
          const tried = new WebSocket(`${address.replace("http", "ws")}/ws`, ["pintle", `pintle.token.${secret}`]);
          tried.onopen = () => resolve("open");
          tried.onerror = () => resolve("refused");
        });
        const headers = { authorization: `Bearer ${secret}` };
        const exported = await fetch(`${address}/export/${id}`, { headers }).then(
          () => "read",
          () => "refused",
        );
        const frame = document.createElement("iframe");
        frame.src = `${address}/`;
        const framed = await new Promise((resolve) => {
          frame.onload = () => {
            // A refused page becomes one of the browser's own error pages, which another origin cannot read either.
            try {
              resolve(frame.contentDocument === null ? "refused" : "shown");
            } catch {
              resolve("refused");
            }
          };
          document.body.append(frame);
        });
        return { socket, exported, framed };
      },
      [url, token, session] as const,
    );
    expect(got).toEqual({ socket: "refused", exported: "refused", framed: "refused" });
    const frames = await Promise.all(page.frames().map((frame) => frame.locator(".session-list, #composer").count()));
    expect(frames).toEqual([0, 0]);
  } finally {
    await stranger.stop(true);
  }
});

test("foreign code neither runs in the page nor styles it", async () => {
  await using server = await LiveServer.start();
  const { page } = await server.tab();
  const blocked = await page.evaluate(async () => {
    const told: string[] = [];
    document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => told.push(effectiveDirective));
    const attempts = [
      () => {
        document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.broken = true'>");
      },
      () => {
        const script = document.createElement("script");
        script.textContent = "window.broken = true";
        document.body.append(script);
      },
      () => {
        document.body.append(Object.assign(document.createElement("style"), { textContent: "body { display: none }" }));
      },
      () => {
        document.body.append(Object.assign(new Image(), { src: "https://example.com/x.png" }));
      },
    ];
    for (const attempt of attempts) {
      try {
        attempt();
      } catch {
        told.push("threw");
      }
    }
    await fetch("https://example.com/").catch(() => told.push("fetch"));
    await new Promise((resolve) => setTimeout(resolve, 200));
    return { told, isBroken: "broken" in window, display: getComputedStyle(document.body).display };
  });
  expect(blocked.isBroken).toBe(false);
  expect(blocked.display).not.toBe("none");
  expect(new Set(blocked.told)).toEqual(
    new Set(["threw", "require-trusted-types-for", "style-src-elem", "img-src", "connect-src", "fetch"]),
  );
});
