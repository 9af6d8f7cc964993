import { PortError } from "../ports/index.js";

/** The tree on this host is not the one that the store has by its name. */
export class OtherTree extends PortError {
  constructor(root: string, tree: string, paths: readonly string[]) {
    const files = paths.join(", ");
    super(
      "bad_request",
      `${root} is not the tree that the store has as ${tree}: no file is as it is recorded (${files}); give this one another name with --tree, or begin the record anew with kedge session purge`,
    );
  }
}
