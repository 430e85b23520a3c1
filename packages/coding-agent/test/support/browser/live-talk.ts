import type { Page } from "playwright-core";

/** Types a message and sends it. */
export async function send(page: Page, message: string): Promise<void> {
  await page.fill("#composer", message);
  await page.press("#composer", "Enter");
}

/** Waits until a finished answer has the text. */
export function answered(page: Page, text: string): Promise<unknown> {
  return page.waitForSelector(`article.assistant:not(.is-writing):has-text(${JSON.stringify(text)})`);
}

/** Waits until the session is idle. */
export function idle(page: Page): Promise<unknown> {
  return page.waitForFunction(
    () =>
      !document.querySelector(".is-writing, .activity-line:not(.is-over)") &&
      document.querySelector(".send-button")?.textContent === "Send",
  );
}

/** Returns the visible messages with their authors. */
export function conversation(page: Page): Promise<string[]> {
  return page.$$eval("article.entry", (articles) =>
    articles
      .filter((article) => !article.classList.contains("change"))
      .map(
        (article) =>
          `${article.querySelector("h3")?.textContent}: ${article.querySelector(".entry-body")?.textContent}`,
      ),
  );
}

/** Returns the session named in the address. */
export function sessionOf(page: Page): string {
  return new URLSearchParams(new URL(page.url()).hash.slice(1)).get("session") ?? "";
}

/** Opens a session as a user does and returns its id. */
export async function openNewSession(page: Page): Promise<string> {
  const before = await shownSession(page);
  await page.evaluate(() => document.querySelector<HTMLElement>(".new-button")?.click());
  await page.evaluate(() => document.querySelector<HTMLFormElement>(".new-session")?.requestSubmit());
  await page.waitForFunction(
    (old) => (new URLSearchParams(location.hash.slice(1)).get("session") ?? "") !== old,
    before,
  );
  const session = await shownSession(page);
  await shown(page, session);
  return session;
}

export function shownSession(page: Page): Promise<string> {
  return page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("session") ?? "");
}

/** Waits until the page shows a session and is attached: the snapshot contains its model. */
export async function shown(page: Page, session: string): Promise<void> {
  await page.waitForFunction(
    (id) =>
      new URLSearchParams(location.hash.slice(1)).get("session") === id &&
      !["", "No model"].includes(document.querySelector(".picker-row:not([hidden]) .picker")?.textContent ?? ""),
    session,
  );
}

/** Runs in the page, because a notice is visible only for a moment and a test may look too late. */
export function recordNotices(): void {
  const notice = document.querySelector(".notice") as HTMLElement;
  const notices: string[] = [];
  Object.assign(window, { notices });
  new MutationObserver(() => notices.push(notice.textContent ?? "")).observe(notice, { childList: true });
}

/** Waits until the page has shown this notice. */
export async function said(page: Page, text: string): Promise<void> {
  await page.waitForFunction(
    (part) => (Reflect.get(window, "notices") as string[]).some((notice) => notice.includes(part)),
    text,
  );
}
