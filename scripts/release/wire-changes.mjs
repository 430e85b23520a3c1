// Finds changes of the protocol's schema that break programs written for the older one. What the host sends must stay
// accepted; what pintle sends must stay understood. docs/versions.md has the rules.

/** @typedef {"host" | "server"} Sender who writes the value in question */

/** Keywords that constrain a string or are reserved: any change breaks one side or the other. */
const CONSTRAINTS = [
  "pattern",
  "not",
  "format",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
];

/**
 * @param {object} older docs/protocol.schema.json of the last release
 * @param {object} newer
 * @returns {string[]} one line per break, with its location; empty if every old host and client keeps working
 */
export function findBreaks(older, newer) {
  const comparison = { older: older.$defs, newer: newer.$defs, seen: new Set(), found: new Set() };
  compareUnion(older.$defs.HostFrame, newer.$defs.HostFrame, "host", { ...comparison, at: "", isOpen: true });
  compareUnion(older.$defs.ServerFrame, newer.$defs.ServerFrame, "server", { ...comparison, at: "", isOpen: true });
  return [...comparison.found];
}

function compare(before, after, sender, outer) {
  // Breaks in a definition are reported once, under its name, wherever it is used.
  const context = before.$ref ? { ...outer, at: definitionOf(before) } : outer;
  // A definition may contain itself.
  const pair = `${sender} ${before.$ref} ${after.$ref}`;
  if (before.$ref && after.$ref) {
    if (context.seen.has(pair)) return;
    context.seen.add(pair);
  }
  const [old, now] = [resolve(before, context.older), resolve(after, context.newer)];
  if (old.anyOf || now.anyOf) return compareUnion(old, now, sender, context);
  compareType(old, now, sender, context);
  compareValues(old, now, sender, context);
  compareProperties(old, now, sender, context);
  for (const key of CONSTRAINTS)
    if (JSON.stringify(old[key]) !== JSON.stringify(now[key])) report(context, `${key} has changed`);
  for (const example of old.examples ?? [])
    if (!now.examples?.includes(example)) report(context, `${JSON.stringify(example)} is gone`);
  for (const [key, mark] of [
    ["items", "[]"],
    ["additionalProperties", ".*"],
  ])
    if (old[key] && now[key]) compare(old[key], now[key], sender, inside(context, mark));
}

function compareType(old, now, sender, context) {
  // An integer is a number, so a sender may become stricter and a reader more lenient.
  const [narrow, wide] = sender === "host" ? [old.type, now.type] : [now.type, old.type];
  const fits = wide === undefined || narrow === wide || (narrow === "integer" && wide === "number");
  if (!fits) report(context, `is ${now.type ?? "anything"} and was ${old.type ?? "anything"}`);
}

function compareValues(old, now, sender, context) {
  const [before, after] = [valuesOf(old), valuesOf(now)];
  const show = (value) => JSON.stringify(value);
  if (before && after) {
    for (const value of before) if (!after.includes(value)) report(context, `${show(value)} is gone`);
    if (sender === "host") return;
    for (const value of after)
      if (!before.includes(value)) report(context, `${show(value)} is new and unknown to old hosts`);
  } else if (after && sender === "host") report(context, `only ${after.map(show).join(", ")} is accepted`);
  else if (before && sender === "server")
    report(context, `was one of ${before.map(show).join(", ")} and is now unrestricted`);
}

function compareProperties(old, now, sender, context) {
  const [before, after] = [old.properties ?? {}, now.properties ?? {}];
  for (const [name, schema] of Object.entries(before)) {
    if (after[name]) compare(schema, after[name], sender, inside(context, `.${name}`));
    else report(inside(context, `.${name}`), "is gone");
  }
  const [wasRequired, isRequired] = [old.required ?? [], now.required ?? []];
  for (const name of isRequired)
    if (sender === "host" && !wasRequired.includes(name)) report(inside(context, `.${name}`), "is now required");
  for (const name of wasRequired)
    if (sender === "server" && !isRequired.includes(name) && after[name])
      report(inside(context, `.${name}`), "may now be missing");
}

/**
 * Each old alternative needs a matching new one; a new one that the server sends must be known to old hosts, unless
 * `isOpen`.
 */
function compareUnion(old, now, sender, { isOpen = false, ...context }) {
  const before = alternatives(old, context.older);
  const after = alternatives(now, context.newer);
  for (const one of before) {
    const like = after.filter((other) => nameOf(one) === nameOf(other));
    const results = like.map((other) => breaksBetween(one, other, sender, under(context, one)));
    const best = results.sort((a, b) => a.length - b.length)[0];
    if (best === undefined) report(under(context, one), "is gone");
    else for (const line of best) context.found.add(line);
  }
  if (sender === "host" || isOpen) return;
  for (const other of after)
    if (!before.some((one) => nameOf(one) === nameOf(other)))
      report(under(context, other), "is new and unknown to old hosts");
}

function breaksBetween(one, other, sender, context) {
  const found = new Set();
  compare(one, other, sender, { ...context, seen: new Set(context.seen), found });
  return [...found];
}

/** Flattens unions of unions. */
function alternatives(schema, definitions) {
  const resolved = resolve(schema, definitions);
  if (resolved.anyOf) return resolved.anyOf.flatMap((one) => alternatives(one, definitions));
  return [schema.$ref ? { ...resolved, definition: definitionOf(schema) } : resolved];
}

/** What distinguishes one alternative from the others: its constants, or its type. */
function nameOf({ type, const: constant, enum: values, properties = {} }) {
  if (constant !== undefined || values) return `values of ${type}`;
  const constants = Object.entries(properties).flatMap(([key, schema]) => {
    const own = valuesOf(schema);
    return own ? [`${key}=${own.join("|")}`] : [];
  });
  return type === "object"
    ? constants.filter((text) => /^(type|command|method|role|success)=/.test(text)).join(" ")
    : type;
}

function label(schema) {
  const name = nameOf(schema).replace(/\b(type|command|method|role|success)=/g, "");
  return schema.type === "object" ? `(${name || "object"})` : `(${name})`;
}

function valuesOf({ const: constant, enum: values }) {
  return constant === undefined ? values : [constant];
}

function resolve(schema, definitions) {
  if (!schema.$ref) return schema;
  const name = definitionOf(schema);
  if (!definitions[name]) throw new Error(`the schema has no definition ${name}`);
  return resolve(definitions[name], definitions);
}

function definitionOf({ $ref }) {
  return $ref.slice("#/$defs/".length);
}

function under(context, alternative) {
  return alternative.definition ? { ...context, at: alternative.definition } : inside(context, label(alternative));
}

function inside(context, step) {
  return { ...context, at: `${context.at}${step}` };
}

function report({ at, found }, text) {
  found.add(`${at.replace(/^\./, "")}: ${text}`);
}
