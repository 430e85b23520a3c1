import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { PageContent } from "../../src/export/page-content.ts";
import { escapeHtml, pageChunks } from "../../src/export/page-document.ts";

function htmlOf(content: Partial<PageContent> & { name?: string } = {}): string {
  const { name, ...parts } = content;
  const session = {
    id: "s",
    cwd: "/",
    created: "2026-01-01T00:00:00Z",
    file: "f",
    ...(name !== undefined && { name }),
  };
  const index = { generator: "g", session, leaf: -1, isRedacted: false, rows: [] };
  return Buffer.concat([...pageChunks({ index, bodies: [], images: [], languages: new Set(), ...parts })]).toString(
    "utf8",
  );
}

/**
 * An XML namespace, and addresses in warnings of the page's libraries. The page's policy allows loading none of them.
 */
const HARMLESS =
  /^(?:http:\/\/www\.w3\.org\/2000\/svg$|https:\/\/github\.com\/(?:highlightjs\/highlight\.js|markedjs\/marked)\b)/;

describe("the document", () => {
  test("has a policy that allows only its own script and style", () => {
    const html = htmlOf();
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? "";
    const hash = (source: string) => `'sha256-${new Bun.CryptoHasher("sha256").update(source).digest("base64")}'`;
    const script = /<script>([\s\S]*?)<\/script>/.exec(html)?.[1] ?? "";
    const style = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? "";
    expect(policy.split("; ")).toEqual([
      "default-src 'none'",
      `script-src ${hash(script)}`,
      `style-src ${hash(style)}`,
      "img-src data:",
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
    expect(script.length).toBeGreaterThan(10_000);
  });

  test("contains no network address and no path of the build machine", () => {
    const html = htmlOf();
    const addresses = html.match(/\b(?:https?:)?\/\/[a-z0-9.-]+\.[a-z]{2,}[^"'`\s]*/gi) ?? [];
    expect(addresses.filter((address) => !HARMLESS.test(address))).toEqual([]);
    expect(html).not.toContain(import.meta.dir.split("/packages/")[0] as string);
  });

  test("closes each data block correctly and restores its content, whatever the data contains", () => {
    const hostile = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("</script>", "<!--<script>", "\u2028", "\ud800", "]]>", "\0"),
    );
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1, maxLength: 5 }), (texts) => {
        const html = htmlOf({ bodies: texts.map((text) => JSON.stringify({ text })), name: texts.join("") });
        const block = /id="pintle-bodies">\n([\s\S]*?)<\/script>/.exec(html)?.[1] ?? "";
        expect(
          block
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line).text),
        ).toEqual(texts);
        expect(html.match(/<\/script>/g)).toHaveLength(5);
        expect(html.match(/<title>[^<]*<\/title>/)).not.toBeNull();
      }),
    );
  });

  test("escapes text in the markup", () => {
    expect(escapeHtml(`<a href="x" id='y'>&\ud800`)).toBe("&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;\ufffd");
  });
});
