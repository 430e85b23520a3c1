/** Returns what hostile content has achieved in a page. Runs in the browser. */
export const harmIn = () => ({
  pwned: "pwned" in window,
  handlers: [...document.querySelectorAll("*")].filter((node) =>
    node.getAttributeNames().some((name) => name.startsWith("on")),
  ).length,
  links: [...document.querySelectorAll<HTMLAnchorElement>("a[href]")]
    .map(({ protocol }) => protocol)
    .filter((protocol) => !["https:", "http:", "mailto:", location.protocol].includes(protocol)),
  foreign: document.querySelectorAll("iframe, object, embed, base, main script, main style, main meta, main link")
    .length,
  isWider: document.documentElement.scrollWidth > innerWidth,
});

export const NO_HARM = { pwned: false, handlers: 0, links: [], foreign: 0, isWider: false };
