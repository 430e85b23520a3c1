/** Returns a copy with additional members; getters of the original stay getters. */
export function extended<T extends object, M extends object>(context: T, methods: M): T & M {
  return Object.defineProperties({} as T & M, {
    ...Object.getOwnPropertyDescriptors(context),
    ...Object.getOwnPropertyDescriptors(methods),
  });
}
