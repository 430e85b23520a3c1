/** Highlights words in the entries without changing them. Browsers that cannot do this show the entries unchanged. */
export function createMarks(): {
  mark(articles: Iterable<HTMLElement>, query: string): void;
  openMatches(article: HTMLElement, query: string): void;
} {
  const isPossible = typeof Highlight !== "undefined" && typeof CSS !== "undefined" && "highlights" in CSS;
  return {
    mark(articles, query) {
      if (!isPossible) return;
      const words = wordsOf(query);
      const ranges = words.length === 0 ? [] : [...articles].flatMap((article) => rangesIn(article, words));
      CSS.highlights.set("found", new Highlight(...ranges));
    },
    openMatches(article, query) {
      const words = wordsOf(query);
      if (words.length === 0) return;
      for (let more = 0; more < MOST_CLICKS && !words.every((word) => contains(article, word)); more += 1) {
        for (const button of article.querySelectorAll<HTMLElement>("button.more")) button.click();
      }
      for (const details of article.querySelectorAll("details")) {
        if (words.some((word) => contains(details, word))) details.open = true;
      }
    },
  };
}

function wordsOf(query: string): string[] {
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word.length > 1);
}

/** How often the rest of long content is shown until it contains the words; each time it is ten times as much. */
const MOST_CLICKS = 3;

function contains(element: Element, word: string): boolean {
  return element.textContent?.toLowerCase().includes(word) ?? false;
}

const MOST_RANGES = 500;

function rangesIn(article: HTMLElement, words: readonly string[]): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && ranges.length < MOST_RANGES; node = walker.nextNode()) {
    const text = node.nodeValue?.toLowerCase() ?? "";
    for (const word of words) {
      for (
        let at = text.indexOf(word);
        at !== -1 && ranges.length < MOST_RANGES;
        at = text.indexOf(word, at + word.length)
      ) {
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + word.length);
        ranges.push(range);
      }
    }
  }
  return ranges;
}
