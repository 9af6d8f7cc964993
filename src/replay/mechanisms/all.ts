import type { Mechanism } from "../score.js";
import { session, stateless } from "./kedge.js";
import { lineNumbers } from "./numbers.js";
import { isInstalled, programs } from "./programs.js";
import { fuzzy, strings } from "./strings.js";

/** Everything that is compared, ours first; programs that this machine does not have are left out. */
export async function allMechanisms(): Promise<Mechanism[]> {
  const has = { patch: await isInstalled("patch"), git: await isInstalled("git") };
  return [
    ...[session, stateless("hex6"), stateless("hex4"), stateless("lean")],
    ...[lineNumbers, strings, fuzzy],
    ...programs.filter(({ name }) => (name === "patch" ? has.patch : has.git)),
  ];
}
