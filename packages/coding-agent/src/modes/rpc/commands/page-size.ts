/** Of messages or entries. Leaves room for the frame around it in a line of 1 MiB. */
export const MAX_PAGE_BYTES = 768 * 1024;
