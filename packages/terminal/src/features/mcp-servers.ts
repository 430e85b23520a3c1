import type { McpAuthRequest } from "@pintle/client";
import type { App, Feature } from "../app.ts";
import { mayOpenBrowser, openBrowser } from "../login/open-browser.ts";
import { waitForRedirect } from "../login/redirect-listener.ts";
import { askLine, choose, pick } from "../questions/ask.ts";
import { hyperlink, terminalFeatures } from "../screen/terminal-features.ts";
import { shownText } from "../text/shown-text.ts";

const line = (text: string) => shownText(text).replaceAll("\n", " ");

/**
 * Implements /mcp, which lists the MCP servers and retries those that failed. Also asks the user to log in at servers
 * that require it.
 */
export const mcpServers: Feature = (app) => {
  app.commands.add({
    name: "mcp",
    description: "list MCP servers, log in, retry",
    run: () => pickServer(app),
  });
  app.onSession((session) => {
    session.onMcpAuth((request, { signal }) => logIn(app, request, signal));
  });
};

async function pickServer(app: App): Promise<void> {
  const { session } = app;
  if (!session) return;
  const { servers } = await session.getMcpStatus();
  if (servers.length === 0) return app.say("No MCP servers are configured (docs/mcp.md).");
  const items = servers.map(({ name, transport, status, tools, error }) => ({
    value: name,
    label: `${line(name)} (${transport})`,
    description: `${status}${status === "connected" ? `, ${tools} tools` : ""}${error === undefined ? "" : `: ${line(error)}`}`,
  }));
  const title = [app.theme.bold("MCP servers"), app.theme.dim("enter retries those that failed or ended")];
  const name = await pick(app, { title, items });
  const chosen = servers.find((server) => server.name === name);
  if (!chosen) return;
  if (chosen.status === "connected") return app.say(`${chosen.name} is connected.`);
  await session.reloadMcp();
}

/**
 * Resolves with the URL to which the browser was redirected, or with undefined if there was no login or the session has
 * received the redirect itself.
 */
async function logIn(app: App, { server, url }: McpAuthRequest, given: AbortSignal): Promise<string | undefined> {
  const address = URL.parse(url);
  // The URL comes from the server and is passed to a program.
  if (address?.protocol !== "https:" && address?.protocol !== "http:") {
    app.say(`${server} sent a login address that is not http or https.`, "error");
    return undefined;
  }
  const closing = new AbortController();
  const signal = AbortSignal.any([given, closing.signal]);
  // A local engine already listens for the redirect on this machine.
  const redirected = app.options.attach ? waitForRedirect(address, signal) : Promise.resolve(undefined);
  const seen = redirected.then((came) => came ?? new Promise<never>(() => {}));
  try {
    const answer = await Promise.race([ask(app, server, address.href, signal), seen]);
    if (given.aborted ? isAnswered(given) : answer !== undefined) app.say(`The login at ${server} is complete.`);
    return answer;
  } finally {
    closing.abort();
  }
}

/** The session has received the redirect itself. */
function isAnswered({ reason }: AbortSignal): boolean {
  return reason instanceof Error && reason.cause === "answered";
}

async function ask(app: App, server: string, url: string, signal: AbortSignal): Promise<string | undefined> {
  const { theme } = app;
  const link = theme.accent(terminalFeatures(app.options.env).hasLinks ? hyperlink(url, url) : url);
  const items = [
    { value: "no", label: "no login" },
    ...(mayOpenBrowser(app.options.env) ? [{ value: "open", label: "open it in the browser" }] : []),
    { value: "copy", label: "copy the address" },
    { value: "paste", label: "paste the address to which the browser was redirected" },
  ];
  const title = [theme.bold(`The MCP server ${line(server)} asks you to log in with a browser:`), link];
  const staysOpen = (value: string) => {
    if (value === "open") openBrowser(url).catch((error) => app.report(error));
    if (value === "copy") app.copy(url).catch((error) => app.report(error));
    return value === "open" || value === "copy";
  };
  for (;;) {
    const value = await choose(app, { title, items, staysOpen, signal });
    if (value !== "paste") return undefined;
    const line = {
      title: "Address to which the browser was redirected (http://…?code=…)",
      signal,
      isOpenedByUser: true,
    };
    const pasted = await askLine(app, line);
    if (pasted !== undefined && pasted.trim() !== "") return pasted.trim();
    if (signal.aborted) return undefined;
  }
}
