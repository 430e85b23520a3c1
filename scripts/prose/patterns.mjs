// Phrases that read as if translated, with the wording to use instead. Each pattern is narrow enough to need no exceptions: a
// phrase with a correct use in this repository does not belong here. docs/contributing.md explains how the check works.

/** @type {{ pattern: RegExp, instead: string }[]} */
export const PATTERNS = [
  {
    pattern: /\b(is|are|was|were|be|been|being|gets?|never|not) (told(?! apart)|said)\b/,
    instead: "emitted, sent, reported, returned",
  },
  { pattern: /\b(tells?|told) (hosts?|of)\b/, instead: "sends, reports, notifies" },
  { pattern: /\b(hears|heard)\b/, instead: "receives, received" },
  {
    pattern:
      /\bstands? (at|behind|beside|there|here|before|after|nowhere|where|(in|on) (it|its|the|a|an|this|that|one)\b(?! for))/,
    instead: "is, appears, is stored",
  },
  {
    pattern:
      /\b(it|one|that|which|word|value|file|answer|name|rule|entry|setting|result) counts(?=[.,;:)]| (from|here|there|now|only|too|no longer|until|when|if)\b)/,
    instead: "wins, applies, takes effect",
  },
  {
    pattern:
      /\b(go|goes|went|gone) on(?=[.,;:)]| (with|as|until|after|from|while|when|where|without|reading|if|and)\b)/,
    instead: "continues, resumes",
  },
  { pattern: /\b(right|directly|comes?|came|written|put|follows?) behind\b/, instead: "after" },
  { pattern: /\banew\b/, instead: "again, re-…" },
  { pattern: /\bonce more\b/, instead: "again" },
  { pattern: /\bin vain\b/, instead: "without effect; or say what happens" },
  {
    pattern: /\ba text(?=[.,;:)]| (of|that|which|is|for|and|or|to|in|from|by|without|has|can)\b)|\btexts\b/,
    instead: "a string, a message, the text",
  },
  { pattern: /\b(has|have|had) (a|no|the last) word\b|\ba word on\b/, instead: "matches, decides" },
  {
    pattern: /\bthe way (of|out|over|into|through|back)\b|\bthe way to (a|the|its|it|them|stdout|stdin|hosts?)\b/,
    instead: "path, route, pipeline, output",
  },
  { pattern: /\bmend(s|ed|ing)?\b/, instead: "fix, fixed" },
  { pattern: /(?<!\bnot for\b.*)\bbut for\b(?! (now|example|instance)\b)/, instead: "except" },
  { pattern: /\bbeside\b/, instead: "next to, alongside, except" },
  { pattern: /\bcommands that look\b/, instead: "read-only commands" },
  { pattern: /\b(somebody|nobody|whoever)\b/, instead: "the user, the client, no host, …: name the actor" },
  { pattern: /\bcode of (a|the|its) (project|user|host|model|extension)s?\b/, instead: "project code, …" },
  { pattern: /\btools? of (a|the|its) (host|user|project|server)s?\b/, instead: "host tools, …" },
  { pattern: /\bpictures?\b/, instead: "image" },
  { pattern: /\bundefined: (no|not|the|there|it|nothing|none|if|when|a|an)\b/, instead: "Returns undefined if …" },
  {
    pattern: /\btraps? \d+\b|(?<!-)\b(RPC|AR) \d+\.\d+/,
    instead: "state the rule: the document is not in the repository",
  },
  {
    pattern: /\b(wishes|arrivals|librarian|storeys?|doors?|rooms)\b|\b(a|this|its|own) room\b(?! for)/,
    instead: "options, incoming, session store, package, folder, entry point",
  },
].map(({ pattern, instead }) => ({ pattern: new RegExp(pattern.source.replaceAll(" ", "\\s+"), "gi"), instead }));
