// Rules in this program decide what the model may do; where they do not apply, the person at the terminal decides.
//
//   node examples/approvals.mjs "run the tests and repair what fails" --model anthropic/claude-sonnet-4-5
import { createInterface } from "node:readline";
import { RpcClient } from "@pintle/client";

const [prompt = 'call bash {"command": "touch made-by-pintle"}', ...args] = process.argv.slice(2);

/** Allowed without a person. Everything else under the preset `ask` is a question. */
const RULES = [
  { effect: "allow", kind: "write", path: "docs/**" },
  { effect: "allow", command: "npm test" },
  { effect: "deny", command: "git push *" },
];

const ANSWERS = { y: "allow_once", s: "allow_session", q: "deny_and_stop" };

/** Lines from the terminal; each is used once. */
class Lines {
  #typed = [];
  #waiting;
  #hasEnded = false;

  constructor(input) {
    this.reader = createInterface({ input });
    this.reader.on("line", (line) => (this.#waiting ? this.#waiting(line) : this.#typed.push(line)));
    this.reader.on("close", () => {
      this.#hasEnded = true;
      this.#waiting?.("");
    });
  }

  /** Returns the next line, or an empty one at the end of input or if the question was withdrawn. */
  async next(signal) {
    if (process.stdin.isTTY) this.#typed = []; // typed before the question appeared, so meant for something else
    if (this.#typed.length > 0) return this.#typed.shift();
    if (this.#hasEnded || signal.aborted) return "";
    const line = await new Promise((resolve) => {
      this.#waiting = resolve;
      signal.addEventListener("abort", () => resolve(""), { once: true });
    });
    this.#waiting = undefined;
    return line;
  }
}

/** The model chose these words: they must not move the cursor or hide text. */
const shown = (text) => text.replace(/[^\P{C}\n]/gu, "?");

/** Rules are kept for the session only, and a session has one project: rules that name it would be duplicates. */
const rulesOf = ({ suggestedRules }) => suggestedRules.filter(({ project }) => project === undefined);

function show(question) {
  const { request, reason, expiresAt } = question;
  const suggestedRules = rulesOf(question);
  console.log(`\n${shown(request.title)}`);
  if (request.command) console.log(shown(request.command.text).replace(/^/gm, "  $ "));
  if (request.command?.programs === "opaque") console.log("  What this starts is unknown until it runs.");
  if (request.escalation !== undefined) console.log(`  It wants to leave the sandbox: ${shown(request.escalation)}`);
  for (const { path, real, access } of request.paths ?? []) {
    console.log(shown(`  ${access}s ${path}${real === path ? "" : `, which is ${real}`}`));
  }
  if (request.diff) console.log(shown(request.diff));
  console.log(`  Asked because of ${shown(reason)}.`);
  for (const [index, rule] of suggestedRules.entries()) console.log(`  ${index + 1}: ${shown(JSON.stringify(rule))}`);
  const seconds = Math.round((new Date(expiresAt).getTime() - Date.now()) / 1000);
  const numbers = suggestedRules.length > 0 ? ", a number: its rule for this session" : "";
  console.log(`  y: once, s: for this session${numbers}, q: deny and stop; anything else is a denial, and its reason.`);
  console.log(`  Denied at ${new Date(expiresAt).toLocaleTimeString()}, in ${seconds} s.`);
}

/** Only one of these words allows the call. */
function decisionOf(line, suggestedRules) {
  const word = line.trim();
  const rule = /^\d+$/.test(word) ? suggestedRules[Number(word) - 1] : undefined;
  if (rule) return { decision: "allow_session", rules: [rule] };
  if (Object.hasOwn(ANSWERS, word)) return { decision: ANSWERS[word] };
  return { decision: "deny", ...(word.length > 1 && { note: word }) };
}

const lines = new Lines(process.stdin);
let before = Promise.resolve();

const client = new RpcClient({ args: ["--no-session", ...args] });
client.onApproval((question, { signal }) => {
  // The questions of one message arrive together; a person reads them one by one.
  const answer = before.then(async () => {
    if (signal.aborted) return "deny";
    show(question);
    const decision = decisionOf(await lines.next(signal), rulesOf(question));
    if (signal.aborted) console.log("  No longer needed.");
    return decision;
  });
  before = answer;
  return answer;
});
client.on("approval_resolved", ({ decision, by, rule }) => {
  console.log(`=> ${decision} by ${by}${rule ? ` ${JSON.stringify(rule)}` : ""}`);
});

await client.start();
try {
  await client.setPermissionMode("ask");
  await client.setPolicy(RULES);
  const { text } = await client.promptAndWait(prompt);
  console.log(`\n${shown(text)}`);
} finally {
  lines.reader.close();
  await client.stop();
}
