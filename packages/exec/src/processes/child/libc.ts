import { dlopen, type FFIFunction } from "bun:ffi";

const MUSL_ARCH: Readonly<Record<string, string>> = { x64: "x86_64", arm64: "aarch64" };

/** Opens functions of the C library on Linux, glibc or musl. Throws if there is neither. */
export function openLibc<Fns extends Record<string, FFIFunction>>(functions: Fns) {
  try {
    return dlopen("libc.so.6", functions).symbols;
  } catch {
    return dlopen(`libc.musl-${MUSL_ARCH[process.arch]}.so.1`, functions).symbols;
  }
}
