/** A program whose clients pintle can serve. */
export interface CompatibleProgram {
  /** The dialect of its clients, as a value of PINTLE_DIALECT. */
  dialect: string;
}

export const COMPATIBLE_PROGRAMS = {
  pi: { dialect: "pi" },
  omp: { dialect: "omp" },
} as const satisfies Record<string, CompatibleProgram>;

export function isCompatibleProgram(name: string): name is keyof typeof COMPATIBLE_PROGRAMS {
  return Object.hasOwn(COMPATIBLE_PROGRAMS, name);
}
