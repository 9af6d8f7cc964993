import type { Run } from "../../context.js";
import { done } from "../../flag-types.js";
import { completionScript } from "../../table/completion.js";

export const run: Run = async ({ args, output }) => {
  const shell = args.positionals[0] as string;
  const script = completionScript(shell);
  output.out.line(args.has("json") ? JSON.stringify({ shell, script }) : script);
  return done;
};
