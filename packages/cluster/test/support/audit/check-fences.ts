import { type Check, type Evidence, entriesBySession, groupBy, type LeaseChange } from "./evidence.ts";

/** Fences rise: along the log of a session, and whenever its lease is taken. */
export const risingFences: Check = (evidence) => {
  const wrong: string[] = [];
  for (const [sessionId, entries] of entriesBySession(evidence)) {
    let fence = 0;
    for (const entry of entries) {
      if (entry.fence < fence) wrong.push(`${sessionId}: ${entry.entryId} has fence ${entry.fence} behind ${fence}`);
      fence = Math.max(fence, entry.fence);
    }
  }
  for (const [sessionId, changes] of changesBySession(evidence)) {
    for (const { oldFence, oldNode, fence, node } of changes) {
      if (oldFence === null) continue;
      if (fence < oldFence) wrong.push(`${sessionId}: the fence fell from ${oldFence} to ${fence}`);
      if (node !== null && node !== oldNode && fence === oldFence)
        wrong.push(`${sessionId}: ${node} took fence ${fence} without raising it`);
    }
  }
  return wrong;
};

/** A fence belongs to one node only, and no lease is taken from another node before it has expired. */
export const oneOwner: Check = (evidence) => {
  const wrong: string[] = [];
  for (const [sessionId, changes] of changesBySession(evidence)) {
    const owners = new Map<number, string>();
    for (const { at, oldNode, oldExpiresAt, node, fence } of changes) {
      if (node === null) continue;
      const owner = owners.get(fence) ?? node;
      if (owner !== node) wrong.push(`${sessionId}: fence ${fence} is of ${owner} and of ${node}`);
      owners.set(fence, owner);
      if (oldNode !== null && oldNode !== node && oldExpiresAt !== null && oldExpiresAt > at)
        wrong.push(`${sessionId}: ${node} took it from ${oldNode} ${Math.ceil(oldExpiresAt - at)} ms before its time`);
    }
  }
  return wrong;
};

/** Nothing is written under a fence that has not been taken yet or has been superseded. */
export const writtenUnderLease: Check = (evidence) => {
  const wrong: string[] = [];
  const bySession = changesBySession(evidence);
  for (const { sessionId, entryId, fence, storedAt } of evidence.entries) {
    const changes = bySession.get(sessionId) ?? [];
    const taken = changes.find((change) => change.node !== null && change.fence === fence);
    const next = changes.find((change) => change.node !== null && change.fence > fence);
    if (!taken) wrong.push(`${sessionId}: ${entryId} was written under fence ${fence}, which no node has taken`);
    else if (taken.at > storedAt)
      wrong.push(`${sessionId}: ${entryId} was written before its fence ${fence} was taken`);
    if (next && next.at < storedAt)
      wrong.push(`${sessionId}: ${entryId} was written under fence ${fence} when ${next.fence} was taken already`);
  }
  return wrong;
};

function changesBySession({ leaseChanges }: Evidence): Map<string, LeaseChange[]> {
  return groupBy(leaseChanges, ({ sessionId }) => sessionId);
}
