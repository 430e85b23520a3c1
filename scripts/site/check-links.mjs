// Every internal link of the finished site must lead to an existing file, and to an existing heading if it names one.
// Nothing else may be loaded: links to other sites are fine, images and scripts from there are not.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/** @returns {string[]} problems */
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
        if (relative(site, target).startsWith("..") || !existsSync(target))
          return [`${page}: ${address} does not exist`];
        if (hash && !idsOf(target).has(decodeURIComponent(hash)))
          return [`${page}: the heading ${address} does not exist`];
        return [];
      },
    );
  });
}
