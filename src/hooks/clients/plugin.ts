/** What plugins that run inside a client get back: they obey it themselves. */
import type { Answer, Payload } from "../event.js";

export function pluginReply({ deny, input, tell, say, recall }: Answer, args: Payload | null): unknown {
  const output = {
    ...(recall ? { recall } : {}),
    ...(deny === undefined ? {} : { deny }),
    ...(args ? { args } : input ? { args: input } : {}),
    ...(tell === undefined ? {} : { append: tell }),
    ...(say === undefined ? {} : { say }),
  };
  return Object.keys(output).length > 0 ? output : null;
}
