// Search, theme and copy buttons. All are extras: every page is complete without them.
const MOST = 20;
const SNIPPET = 160;
/** Repeating a word does not make a long section a better match. */
const MOST_HITS = 4;

const box = document.querySelector(".search input");
const results = document.getElementById("results");
const up = document.body.dataset.up;

document.querySelector(".theme").addEventListener("click", () => {
  const root = document.documentElement;
  const isDark =
    (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  root.dataset.theme = isDark ? "light" : "dark";
  try {
    localStorage.setItem("theme", root.dataset.theme);
  } catch {
    // the choice lasts for this page only
  }
});

if (matchMedia("(max-width: 60rem)").matches) document.querySelector("nav details").open = false;

for (const block of document.querySelectorAll("main pre")) addCopyButton(block);

function addCopyButton(block) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    button.textContent = (await copyText(block.querySelector("code").textContent)) ? "Copied" : "Not copied";
    setTimeout(() => (button.textContent = "Copy"), 2_000);
  });
  const frame = document.createElement("div");
  frame.className = "code";
  block.replaceWith(frame);
  frame.append(block, button);
}

/** Returns whether the text is in the clipboard. Pages opened from the disk may not have one. */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    return isCopied;
  }
}

let index;

/** The index is larger than most pages, so it is loaded on first use. */
function loadIndex() {
  index ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${up}assets/search-index.js`;
    script.onload = () => resolve(globalThis.pintleSearchIndex);
    script.onerror = () => reject(new Error("The search index could not be loaded."));
    document.head.append(script);
  });
  return index;
}

/** Every word must occur; where and how often decides the order. */
function search(rows, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return rows
    .map((row) => ({ row, score: scoreOf(row, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST)
    .map(({ row }) => row);
}

function scoreOf([, title, , heading, text], words) {
  const fields = [
    [heading.toLowerCase(), 20],
    [title.toLowerCase(), 8],
    [text.toLowerCase(), 1],
  ];
  let score = 0;
  for (const word of words) {
    const found = fields.reduce(
      (sum, [field, weight]) => sum + weight * Math.min(MOST_HITS, field.split(word).length - 1),
      0,
    );
    if (found === 0) return 0;
    score += found;
  }
  return score;
}

function show(rows, text) {
  const word = text.toLowerCase().split(/\s+/).filter(Boolean)[0] ?? "";
  results.replaceChildren(...rows.map((row, place) => resultOf(row, word, place)));
  if (rows.length === 0) results.textContent = text.trim() === "" ? "" : "Nothing found.";
  results.hidden = text.trim() === "";
  box.setAttribute("aria-expanded", String(!results.hidden));
  choose(0);
}

function resultOf([name, title, id, heading, text], word, place) {
  const link = document.createElement("a");
  link.href = `${up}${name}.html${id ? `#${id}` : ""}`;
  link.setAttribute("role", "option");
  link.id = `result-${place}`;
  const head = document.createElement("strong");
  head.textContent = heading && heading !== title ? `${title}: ${heading}` : title;
  const at = Math.max(0, text.toLowerCase().indexOf(word) - SNIPPET / 4);
  const body = document.createElement("span");
  body.textContent = `${at > 0 ? "…" : ""}${text.slice(at, at + SNIPPET)}`;
  link.append(head, body);
  link.addEventListener("click", close);
  return link;
}

let chosen = 0;

function choose(place) {
  const links = [...results.querySelectorAll("a")];
  chosen = Math.max(0, Math.min(place, links.length - 1));
  for (const [at, link] of links.entries()) link.setAttribute("aria-selected", String(at === chosen));
  if (links[chosen]) {
    box.setAttribute("aria-activedescendant", links[chosen].id);
    links[chosen].scrollIntoView({ block: "nearest" });
  } else box.removeAttribute("aria-activedescendant");
}

function close() {
  results.hidden = true;
  box.setAttribute("aria-expanded", "false");
}

box.addEventListener("input", async () => {
  try {
    const rows = await loadIndex();
    show(search(rows, box.value), box.value);
  } catch (error) {
    results.textContent = error.message;
    results.hidden = false;
  }
});

const KEYS = {
  ArrowDown: () => choose(chosen + 1),
  ArrowUp: () => choose(chosen - 1),
  Enter: () => results.querySelectorAll("a")[chosen]?.click(),
  Escape: close,
};

box.addEventListener("keydown", (event) => {
  const act = KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

document.addEventListener("keydown", (event) => {
  const isTyping = document.activeElement?.matches("input, textarea, [contenteditable]");
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  box.focus();
});

document.addEventListener("click", (event) => {
  if (!event.target.closest("#results, .search")) close();
});
