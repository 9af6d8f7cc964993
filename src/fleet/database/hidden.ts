/** The address of a store as people may see it: without what gives access. */
export function hidden(url: string): string {
  try {
    const { protocol, hostname, port, pathname } = new URL(url);
    return `${protocol}//${hostname}${port === "" ? "" : `:${port}`}${pathname}`;
  } catch {
    return "the store";
  }
}
