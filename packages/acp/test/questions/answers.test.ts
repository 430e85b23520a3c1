import { expect, test } from "bun:test";
import type { FileChange, PendingActionInfo, PermissionRule } from "@pintle/wire";
import { AcpClient } from "../../src/client/acp-client.ts";
import { readAbilities } from "../../src/client/client-capabilities.ts";
import { type Approval, approvalAnswer, approvalQuestion } from "../../src/questions/approvals.ts";
import { askDialog } from "../../src/questions/dialogs.ts";
import { askPreview, type PreviewDecision, previewDecision, previewQuestion } from "../../src/questions/previews.ts";
import { trustAnswer, trustQuestion } from "../../src/questions/trust.ts";
import { RpcPeer } from "../../src/rpc/rpc-peer.ts";

const NONSENSE = [
  undefined,
  "",
  "allow",
  "ALLOW_ONCE",
  "apply ",
  "__proto__",
  "trust_",
  "yes",
  "choose",
  "part_",
  "part_3",
];

const hunk = (hunkId: string, newStart: number) => ({
  hunkId,
  oldStart: newStart,
  oldLines: 2,
  newStart,
  newLines: 2,
  lines: [" same", `-${hunkId}`, "+b"],
});
const FACTS: Omit<FileChange, "path"> = {
  status: "modified",
  type: "file",
  binary: false,
  added: 2,
  removed: 2,
  sources: [],
};
const CHANGES: FileChange[] = [
  { path: "a.ts", ...FACTS, hunks: [hunk("h1", 1), hunk("h2", 20)] },
  { path: "b.ts", ...FACTS, hunks: [hunk("h3", 5)] },
];
const PREVIEW = { actionId: "p", label: "l", sourceToolName: "x", changes: CHANGES, createdAt: 0 };

const approval = (...suggestedRules: PermissionRule[]): Approval => ({
  request: { toolCallId: "c", tool: "bash", kind: "execute", title: "t", origin: "builtin" },
  reason: "r",
  suggestedRules,
});

test("only an offered option allows anything", () => {
  const narrow: PermissionRule = { effect: "allow", command: "npm test" };
  for (const optionId of NONSENSE) {
    expect(approvalAnswer(optionId, approval(narrow))).toEqual({ decision: "deny" });
    expect(previewDecision(optionId, { changes: CHANGES })).toEqual({ action: "discard" });
    expect(trustAnswer(optionId)).toEqual({ trusted: false });
  }
});

test("the first option of every question rejects, and all others come after it", () => {
  const action = { actionId: "p", label: "l", sourceToolName: "ast_edit" } as PendingActionInfo;
  const questions = [
    approvalQuestion(approval({ effect: "allow", command: "npm test" }), { args: {}, cwd: "/" }),
    approvalQuestion(approval(), { args: {}, cwd: "/" }),
    previewQuestion(action, { toolCallId: "c", cwd: "/" }, false),
    previewQuestion({ ...action, changes: CHANGES }, { toolCallId: "c", cwd: "/" }, false),
    previewQuestion({ ...action, changes: CHANGES }, { toolCallId: "c", cwd: "/" }, true),
    trustQuestion({ type: "trust_request", id: "t", project: "/p", items: [] }),
  ];
  expect(questions.map(({ options }) => options[0]?.kind)).toEqual(questions.map(() => "reject_once"));
  expect(questions.every(({ options }) => options.slice(1).every(({ kind }) => kind.startsWith("allow")))).toBe(true);
});

test("shows hidden characters in names of project code", () => {
  const items = [{ kind: "hook", name: "a\u202eb", path: "/p/\u001b[8mx" }];
  const { toolCall } = trustQuestion({ type: "trust_request", id: "t", project: "/p", items });
  expect(JSON.stringify(toolCall.content)).toContain("hook: a\\\\u{202e}b (/p/\\\\u{1b}[8mx)");
});

test("keeps a rule for exactly the call that was shown", () => {
  const narrow: PermissionRule = { effect: "allow", command: "npm run lint" };
  const wide: PermissionRule[] = [
    { effect: "allow", command: "npm run *" },
    { effect: "allow", kind: "write", path: "/project/**" },
  ];
  expect(approvalAnswer("allow_always", approval(narrow, ...wide))).toEqual({
    decision: "allow_always",
    rules: [narrow],
  });
  expect(approvalAnswer("allow_session", approval(narrow, ...wide))).toEqual({
    decision: "allow_session",
    rules: [narrow],
  });
  // A call that no rule can express can be allowed only once, even by a client that answers with an option it was not offered.
  const opaque = approval(...wide);
  const { options } = approvalQuestion(opaque, { args: {}, cwd: "/" });
  expect(options.map(({ optionId }) => optionId)).toEqual(["deny", "allow_once"]);
  expect(approvalAnswer("allow_always", opaque)).toEqual({ decision: "deny" });
});

test("shows the whole call: directory, environment, link target and escalation", () => {
  const { toolCall } = approvalQuestion(
    {
      request: {
        ...approval().request,
        command: { text: "make\n```\n\u202ellatsni", cwd: "/elsewhere", env: { PATH: "/evil" }, programs: "opaque" },
        escalation: "needs the network",
        paths: [{ path: "/a", real: "/etc/passwd", access: "write" }],
      },
      reason: "the preset",
      suggestedRules: [],
    },
    { args: {}, cwd: "/" },
  );
  const shown = toolCall.content?.map((block) =>
    block.type === "content" && block.content.type === "text" ? block.content.text : "",
  );
  expect(shown).toEqual([
    "````sh\nmake\n```\n\\u{202e}llatsni\n````",
    "in /elsewhere\nwith PATH=/evil\noutside the sandbox: needs the network\n/a is /etc/passwd\nthe preset",
  ]);
});

/** A client that answers every question with this. */
function answering(answer: unknown, capabilities: object): AcpClient {
  const peer: RpcPeer = new RpcPeer({ requests: {}, notifications: {} }, (json) => {
    const { id } = JSON.parse(json) as { id?: number };
    if (id !== undefined) queueMicrotask(() => peer.receive(JSON.stringify({ jsonrpc: "2.0", id, result: answer })));
  });
  const client = new AcpClient("s", peer, readAbilities(capabilities));
  client.release();
  return client;
}

const signal = new AbortController().signal;

test("an invalid answer cancels a dialog and denies a permission", async () => {
  const forms = { elicitation: { form: {} } };
  const dialogs = [
    { type: "extension_ui_request", method: "select", title: "t", options: ["a", "b"] },
    { type: "extension_ui_request", method: "input", title: "t" },
    { type: "extension_ui_request", method: "editor", title: "t", prefill: "p" },
  ];
  for (const answer of [
    null,
    7,
    "x",
    [],
    {},
    { action: "decline" },
    { action: "accept" },
    { action: "accept", content: [] },
    { action: "accept", content: { answer: 7 } },
    { action: "_later", content: { answer: "a" } },
  ]) {
    for (const dialog of dialogs) {
      const client = answering(answer, forms);
      expect(await askDialog({ client, dialog, toolCallId: "c", signal })).toEqual({ cancelled: true });
    }
    const question = { toolCall: { toolCallId: "c" }, options: [] };
    expect(await answering(answer, {}).askPermission(question, signal)).toBeUndefined();
  }
  const [select] = dialogs;
  const other = answering({ action: "accept", content: { answer: "c" } }, forms);
  expect(await askDialog({ client: other, dialog: select!, toolCallId: "c", signal })).toEqual({ cancelled: true });
  const confirm = { type: "extension_ui_request", method: "confirm", title: "t", message: "m" };
  const vague = answering({ action: "accept", content: { answer: "true" } }, forms);
  expect(await askDialog({ client: vague, dialog: confirm, toolCallId: "c", signal })).toEqual({ confirmed: false });
});

test("undeclared capabilities are off", () => {
  const none = readAbilities(undefined);
  expect(Object.values(none).every((able) => able === false)).toBe(true);
  for (const odd of [
    null,
    7,
    [],
    { fs: true, terminal: "yes", elicitation: { form: true }, session: { notices: null } },
  ])
    expect(readAbilities(odd)).toEqual(none);
});

test("a client without forms applies one of a few parts", () => {
  const call = { toolCallId: "c", cwd: "/w" };
  const { options, toolCall } = previewQuestion(PREVIEW, call, false);
  expect(options.map(({ name }) => name)).toEqual([
    "Discard",
    "Apply",
    "Apply only a.ts:2",
    "Apply only a.ts:21",
    "Apply only b.ts",
  ]);
  expect(previewDecision("part_1", PREVIEW)).toEqual({ action: "apply", files: undefined, hunks: ["h2"] });
  expect(previewDecision("part_2", PREVIEW)).toEqual({ action: "apply", files: ["b.ts"], hunks: undefined });
  expect(toolCall.locations).toEqual([{ path: "/w/a.ts" }, { path: "/w/b.ts" }]);
  expect(toolCall.content?.[0]).toEqual({ type: "diff", path: "/w/a.ts", oldText: "same\nh1", newText: "same\nb" });
  expect(toolCall.content).toHaveLength(3);
  // With many hunks only files are offered, and with many files nothing.
  const many = (count: number, path: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => ({ path: path(index), ...FACTS, hunks: [hunk(`${index}`, 1)] }));
  const [first] = CHANGES as [FileChange];
  const full = { ...first, hunks: many(9, String).flatMap(({ hunks }) => hunks) };
  const named = (changes: FileChange[]) => previewQuestion({ ...PREVIEW, changes }, call, false).options.slice(2);
  expect(named([full, CHANGES[1]!]).map(({ name }) => name)).toEqual(["Apply only a.ts", "Apply only b.ts"]);
  expect(named(many(9, (index) => `${index}.ts`))).toEqual([]);
  expect(named([CHANGES[1]!])).toEqual([]);
});

test("a client with forms applies any parts, and nothing that it was not offered", async () => {
  const cases: [unknown, PreviewDecision][] = [
    [["h2", "b.ts"], { action: "apply", files: ["b.ts"], hunks: ["h2"] }],
    [["h2", "c.ts", 7], { action: "apply", hunks: ["h2"] }],
    [["a.ts"], { action: "discard" }],
    [[], { action: "discard" }],
    ["h2", { action: "discard" }],
    [undefined, { action: "discard" }],
  ];
  for (const [parts, decision] of cases) {
    const peer: RpcPeer = new RpcPeer({ requests: {}, notifications: {} }, (json) => {
      const { id, method } = JSON.parse(json) as { id: number; method: string };
      const isForm = method === "elicitation/create";
      const result = isForm
        ? { action: "accept", content: { parts } }
        : { outcome: { outcome: "selected", optionId: "choose" } };
      queueMicrotask(() => peer.receive(JSON.stringify({ jsonrpc: "2.0", id, result })));
    });
    const client = new AcpClient("s", peer, readAbilities({ elicitation: { form: {} } }));
    client.release();
    const call = { toolCallId: "c", cwd: "/w" };
    expect(await askPreview({ client, action: PREVIEW, call, signal })).toEqual(decision);
  }
});
