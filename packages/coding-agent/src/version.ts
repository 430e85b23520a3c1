import manifest from "../package.json" with { type: "json" };

export const version: string = manifest.version;

/** The releases whose wire the dialects speak: clients decide by them what they may ask for. */
export const WIRE_VERSIONS: Readonly<Record<string, string | undefined>> = { pi: "1.5.0", omp: "omp/18.3.4" };
