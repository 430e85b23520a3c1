// The systems that pintle is built for, and the names that other packages use for them.

/** @typedef {{ platform: string, arch: string, libc?: "glibc" | "musl" }} Target as Node and npm name them */

/** Published as `@pintle/NAME`; the launcher finds its program by that name. */
export const TARGETS = {
  "linux-x64": { platform: "linux", arch: "x64", libc: "glibc" },
  "linux-arm64": { platform: "linux", arch: "arm64", libc: "glibc" },
  "linux-x64-musl": { platform: "linux", arch: "x64", libc: "musl" },
  "linux-arm64-musl": { platform: "linux", arch: "arm64", libc: "musl" },
  "darwin-x64": { platform: "darwin", arch: "x64" },
  "darwin-arm64": { platform: "darwin", arch: "arm64" },
  "win32-x64": { platform: "win32", arch: "x64" },
};

/** @returns {Target} that of this machine, even if it is not listed above */
export function thisMachine() {
  const { platform, arch } = process;
  if (platform !== "linux") return { platform, arch };
  process.report.excludeNetwork = true;
  return { platform, arch, libc: process.report.getReport().header.glibcVersionRuntime ? "glibc" : "musl" };
}

/** @param {Target} target */
export function nameOf({ platform, arch, libc }) {
  return `${platform}-${arch}${libc === "musl" ? "-musl" : ""}`;
}

/** @param {Target} target */
export function executable({ platform }, name) {
  return platform === "win32" ? `${name}.exe` : name;
}

const BUN_SYSTEMS = { win32: "windows" };
const BUN_ARCHES = { arm64: "aarch64" };

/** The package that contains Bun for the program. */
export function bunPackage({ platform, arch, libc }) {
  return `@oven/bun-${BUN_SYSTEMS[platform] ?? platform}-${BUN_ARCHES[arch] ?? arch}${libc === "musl" ? "-musl" : ""}`;
}

/** The name for `bun build --target`. */
export function bunTarget({ platform, arch, libc }) {
  return `bun-${BUN_SYSTEMS[platform] ?? platform}-${arch}${libc === "musl" ? "-musl" : ""}`;
}

/** Statically linked, so the same program works with both C libraries of Linux. */
export function ripgrepPackage({ platform, arch }) {
  return `@vscode/ripgrep-${platform}-${arch}`;
}

const ABIS = { glibc: "-gnu", musl: "-musl" };

export function astEnginePackage({ platform, arch, libc }) {
  const abi = platform === "win32" ? "-msvc" : (ABIS[libc] ?? "");
  return `@ast-grep/napi-${platform}-${arch}${abi}`;
}

const PREBUILT_SYSTEMS = { darwin: "macOS", linux: "Linux", win32: "Windows" };

/** Where a language package keeps its parser. */
export function prebuiltParser({ platform, arch }) {
  return `prebuilds/prebuild-${PREBUILT_SYSTEMS[platform]}-${arch.toUpperCase()}/parser.so`;
}
