/** The checks that must see each fault; how it is made is the business of faulty-agent.mjs. */
export const FAULTS: Record<string, { seenBy: string[] }>;
