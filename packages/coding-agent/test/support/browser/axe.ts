import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

let source: string | undefined;

/**
 * Returns what axe finds in the current page, by the rules of WCAG 2.2 A and AA and its best practices. Empty if there is
 * nothing to report.
 */
export async function axe(page: Page): Promise<string[]> {
  source ??= readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  // Evaluated by the debugger, because the page's policy allows no other script.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(source);
  const { violations } = await page.evaluate(
    () =>
      Reflect.get(window, "axe").run(document, {
        runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
        rules: { "target-size": { enabled: true } },
      }) as Promise<AxeResults>,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ html, any, all }) => `${id}: ${html.slice(0, 160)} ${[...any, ...all].map(({ message }) => message)[0] ?? ""}`,
    ),
  );
}
