/** The words about the first recording in a workspace, for the person. */
export function recording({ kept, left }: { readonly kept: number; readonly left: number }): string {
  const files = `${kept} uncommitted ${kept === 1 ? "file is" : "files are"} on record on this machine, so that no command can lose them`;
  const beyond = left > 0 ? `; ${left} more are not (too many, or too large)` : "";
  return `${files}${beyond}: the key \`tree\` of your configuration turns that off, \`kedge session purge\` forgets them`;
}
