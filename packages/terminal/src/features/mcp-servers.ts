import type { McpAuthRequest } from "@pintle/client";
import type { App, Feature } from "../app.ts";
import { mayOpenBrowser, openBrowser } from "../login/open-browser.ts";
import { waitForRedirect } from "../login/redirect-listener.ts";
import { askLine, choose, pick } from "../questions/ask.ts";
import { hyperlink, terminalFeatures } from "../screen/terminal-features.ts";
import { shownText } from "../text/shown-text.ts";

const line = (text: string) => shownText(text).replaceAll("\n", " ");

/** MCP servers: /mcp shows them and tries those again that failed; one that wants a person to log in is asked about. */
export const mcpServers: Feature = (app) => {
  app.commands.add({
    name: "mcp",
    description: "MCP servers: their state, log in, try again",
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
 * The URL to which the browser was redirected; undefined if there was no login, or the session has received the
 * redirect itself.
 */
async function logIn(app: App, { server, url }: McpAuthRequest, given: AbortSignal): Promise<string | undefined> {
  const address = URL.parse(url);
  // It comes from the server, and would be handed to a program.
  if (address?.protocol !== "https:" && address?.protocol !== "http:") {
    app.say(`${server} names no address of the web for its login.`, "error");
    return undefined;
  }
  const closing = new AbortController();
  const signal = AbortSignal.any([given, closing.signal]);
  // An engine of our own waits on this machine already.
  const redirected = app.options.attach ? waitForRedirect(address, signal) : Promise.resolve(undefined);
  const seen = redirected.then((came) => came ?? new Promise<never>(() => {}));
  try {
    const answer = await Promise.race([ask(app, server, address.href, signal), seen]);
    if (given.aborted ? isAnswered(given) : answer !== undefined) app.say(`The browser has come back to ${server}.`);
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
    { value: "paste", label: "paste the address that the browser was sent to" },
  ];
  const title = [theme.bold(`The MCP server ${line(server)} wants you to log in, in a browser:`), link];
  const staysOpen = (value: string) => {
    if (value === "open") openBrowser(url).catch((error) => app.report(error));
    if (value === "copy") app.copy(url).catch((error) => app.report(error));
    return value === "open" || value === "copy";
  };
  for (;;) {
    const value = await choose(app, { title, items, staysOpen, signal });
    if (value !== "paste") return undefined;
    const line = { title: "Where the browser was sent to (http://…?code=…)", signal, isOpenedByUser: true };
    const pasted = await askLine(app, line);
    if (pasted !== undefined && pasted.trim() !== "") return pasted.trim();
    if (signal.aborted) return undefined;
  }
}
