// Every link of the finished site that stays inside it must lead to a file, and to a heading if it names one. No other address may
// be loaded: links to elsewhere are fine, images and scripts from there are not.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/** @returns {string[]} what is wrong, in words */
export function checkLinks(site) {
  const pages = readdirSync(site, { recursive: true }).filter((path) => path.endsWith(".html"));
  const ids = new Map();
  const idsOf = (path) => {
    if (!ids.has(path))
      ids.set(path, new Set([...readFileSync(path, "utf8").matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id)));
    return ids.get(path);
  };
  return pages.flatMap((page) => {
    const file = join(site, page);
    return [...readFileSync(file, "utf8").matchAll(/<(\w+)\b[^>]*?\b(?:href|src)="([^"]*)"/g)].flatMap(
      ([, tag, link]) => {
        const address = link.replaceAll("&amp;", "&");
        if (/^(https?|mailto):/.test(address)) return tag === "a" ? [] : [`${page}: loads ${address}`];
        const [path, hash] = address.split("#");
        const target = path === "" ? file : resolve(dirname(file), decodeURI(path));
        if (relative(site, target).startsWith("..") || !existsSync(target)) return [`${page}: there is no ${address}`];
        if (hash && !idsOf(target).has(decodeURIComponent(hash))) return [`${page}: there is no heading ${address}`];
        return [];
      },
    );
  });
}
