/** Maximum bytes of messages or entries in a page. Leaves room for the frame in a line of 1 MiB. */
export const MAX_PAGE_BYTES = 768 * 1024;
