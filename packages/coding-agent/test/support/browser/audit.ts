import type { Page } from "playwright-core";

export interface Finding {
  rule: string;
  element: string;
  detail: string;
}

/** Returns every accessibility problem of the current page. Empty if there is none. */
export function audit(page: Page): Promise<Finding[]> {
  return page.evaluate(() => {
    const findings: { rule: string; element: string; detail: string }[] = [];
    const describe = (node: Element) => `${node.outerHTML.slice(0, 120)} in .${node.parentElement?.className ?? ""}`;
    const find = (rule: string, element: Element, detail = "") =>
      findings.push({ rule, element: describe(element), detail });
    const all = <E extends Element = HTMLElement>(selector: string) => [...document.querySelectorAll<E>(selector)];
    const isSeen = (node: Element) =>
      node.checkVisibility({ checkVisibilityCSS: true, checkOpacity: true, contentVisibilityAuto: true });

    // names
    for (const node of all(
      "button, a[href], input, summary, [role=region], [role=slider], [role=tree], [role=treeitem], dialog[open], img, [role=img]",
    )) {
      const label = node.getAttribute("aria-label") ?? "";
      const labelled = (node.getAttribute("aria-labelledby") ?? "")
        .split(" ")
        .map((id) => document.getElementById(id)?.textContent ?? "")
        .join("");
      const own =
        node instanceof HTMLImageElement
          ? node.alt
          : node.matches("[role=region], [role=tree], input")
            ? ""
            : node.textContent;
      if (`${label}${labelled}${own ?? ""}`.trim() === "") find("has a name", node);
    }
    // references and ids
    const ids = all("[id]").map(({ id }) => id);
    for (const node of all("[id]")) if (ids.filter((id) => id === node.id).length > 1) find("id is unique", node);
    for (const name of ["aria-labelledby", "aria-controls", "aria-activedescendant", "aria-describedby"])
      for (const node of all(`[${name}]`))
        for (const id of (node.getAttribute(name) ?? "").split(" "))
          if (!document.getElementById(id)) find(`${name} leads somewhere`, node, id);
    // roles and what they require
    for (const node of all("[role=slider]"))
      for (const name of ["aria-valuenow", "aria-valuemin", "aria-valuemax"])
        if (!/^\d+$/.test(node.getAttribute(name) ?? "")) find("slider has its values", node, name);
    for (const node of all("[role=treeitem]")) if (!node.closest("[role=tree]")) find("treeitem in a tree", node);
    for (const node of all("[role=feed] article")) {
      const [at, of] = ["aria-posinset", "aria-setsize"].map((name) => Number(node.getAttribute(name)));
      if (!(Number(at) >= 1 && Number(at) <= Number(of))) find("article has its place", node);
    }
    for (const node of all("[aria-hidden=true]"))
      for (const inner of [node, ...node.querySelectorAll("a[href], button, input, [tabindex]")])
        if (inner.matches("a[href], button, input, [tabindex='0']")) find("hidden, but has the focus", inner);
    // interactive elements do not contain others
    for (const node of all("button button, button a, a a, a button")) find("interactive inside interactive", node);
    // landmarks
    for (const [name, selector] of [
      ["banner", "body > header"],
      ["navigation", "nav"],
      ["main", "main"],
    ] as const)
      if (all(selector).length !== 1) find(`one ${name}`, document.body, String(all(selector).length));
    for (const node of all("body > *"))
      if (!node.matches("header, nav, main, dialog, script, noscript, .skip, [role=status], :empty"))
        find("content in a landmark", node);
    // heading levels increase by one
    let level = 0;
    for (const node of all("h1, h2, h3, h4, h5, h6, [role=heading]")) {
      const next = Number(node.getAttribute("aria-level") ?? node.tagName.slice(1));
      if (next > level + 1 && !node.closest(".prose")) find("heading level", node, `${level} to ${next}`);
      if (!node.closest(".prose")) level = next;
    }
    if (all("h1").length !== 1) find("one first heading", document.body);
    if (!document.documentElement.lang) find("language", document.documentElement);
    // targets
    for (const node of all("button, summary, input, .tree-line, .permalink")) {
      const { width, height } = node.getBoundingClientRect();
      if (isSeen(node) && (width < 24 || height < 20))
        find("large enough to hit", node, `${Math.round(width)} x ${Math.round(height)}`);
    }

    // contrast
    type Colour = readonly [number, number, number, number];
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 1;
    const brush = canvas.getContext("2d", { willReadFrequently: true }) as CanvasRenderingContext2D;
    const known = new Map<string, Colour>();
    const colourOf = (text: string): Colour => {
      const cached = known.get(text);
      if (cached) return cached;
      brush.clearRect(0, 0, 1, 1);
      brush.fillStyle = text;
      brush.fillRect(0, 0, 1, 1);
      const [r = 0, g = 0, b = 0, a = 0] = brush.getImageData(0, 0, 1, 1).data;
      const colour: Colour = [r, g, b, a / 255];
      known.set(text, colour);
      return colour;
    };
    const over = (front: Colour, back: Colour): Colour => {
      const mix = (at: 0 | 1 | 2) => front[at] * front[3] + back[at] * (1 - front[3]);
      return [mix(0), mix(1), mix(2), 1];
    };
    const backgroundOf = (node: Element): Colour => {
      const layers: Colour[] = [];
      for (let at: Element | null = node; at; at = at.parentElement) {
        const colour = colourOf(getComputedStyle(at).backgroundColor);
        if (colour[3] > 0) layers.push(colour);
        if (colour[3] === 1) break;
      }
      return layers.reduceRight((back, front) => over(front, back), [255, 255, 255, 1] as Colour);
    };
    const luminance = ([r, g, b]: Colour) => {
      const linear = (value: number) =>
        value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
      return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    };
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const looked = new Set<Element>();
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const node = text.parentElement as Element;
      if (!text.nodeValue?.trim() || looked.has(node) || node.closest("script, style, noscript, svg") || !isSeen(node))
        continue;
      looked.add(node);
      const style = getComputedStyle(node);
      let opacity = 1;
      for (let at: Element | null = node; at; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity);
      const back = backgroundOf(node);
      const [r, g, b, a] = colourOf(style.color);
      const front = over([r, g, b, a * opacity], back);
      const [light, dark] = [luminance(front), luminance(back)].sort((x, y) => y - x) as [number, number];
      const ratio = (light + 0.05) / (dark + 0.05);
      const size = Number.parseFloat(style.fontSize);
      const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      if (ratio < (isLarge ? 3 : 4.5))
        find("contrast", node, `${ratio.toFixed(2)}: ${style.color} on ${back.slice(0, 3).map(Math.round)}`);
    }
    return findings;
  });
}

/**
 * Returns the elements that the Tab key visits, from the beginning of the page, and marks those that do not show their
 * focus.
 */
export async function tabStops(page: Page, count: number): Promise<string[]> {
  const stops: string[] = [];
  for (let step = 0; step < count; step += 1) {
    await page.keyboard.press("Tab");
    stops.push(
      await page.evaluate(() => {
        const node = document.activeElement as HTMLElement;
        const style = getComputedStyle(node);
        const active = node.querySelector(".active");
        const isShown =
          style.outlineStyle !== "none" || (active !== null && getComputedStyle(active).boxShadow !== "none");
        const box = node.getBoundingClientRect();
        const isSeen = box.width > 1 && box.bottom > 0 && box.top < innerHeight;
        const name = node.getAttribute("aria-label") ?? node.textContent?.slice(0, 40) ?? "";
        return `${isShown && isSeen ? "" : "NO FOCUS SEEN: "}${name}`;
      }),
    );
  }
  return stops;
}
