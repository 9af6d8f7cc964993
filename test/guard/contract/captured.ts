/** Every captured payload is understood: no failure is logged, and the answer is of the kind it has to be. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Driver, folder, moved, type Payload, record } from "../drivers/driver.js";
import { Stage } from "../stage.js";

type Kind = "denied" | "said" | "rewritten" | "nothing";

/** What was there when the payloads were captured, as far as it matters. */
const files: Readonly<Record<string, string>> = {
  "a.txt": "alpha\nbeta\ngamma\n",
  "b.txt": "one\ntwo\n",
  "c.txt": "c1\nc2\n",
  "d.txt": "d1\n",
  "del.txt": "del me\n",
  "fz.py": "class A:\n    def f(self):\n        x = 1\n",
  "sub/a.txt": "subalpha\n",
  "nb.ipynb": '{"cells":[]}\n',
  "big.txt": "line 1\nline 2\n",
};

/** By the file's name; all others say nothing. */
const named: readonly (readonly [RegExp, Kind])[] = [
  [/^SessionStart(-startup|-resume|-clear)?$/, "said"],
  [/^PreToolUse-(Edit|Write|edit$|write_file$|NotebookEdit|apply_patch|Bash-apply_patch-heredoc)/, "denied"],
  [/^BeforeTool-(replace|write_file)$/, "denied"],
  [/^preToolUse-(edit|create|apply_patch)/, "denied"],
  [/^sessionStart$/, "said"],
];

/** Files that are not there are made, whoever asks. */
const fresh = /new\.txt|"s\.txt"|new\/n\.txt/;

function kindOf(name: string, payload: Payload): Kind {
  const [, kind = "nothing"] = named.find(([pattern]) => pattern.test(name)) ?? [];
  const { command } = record(payload.tool_input);
  return kind === "denied" && command === undefined && fresh.test(JSON.stringify(payload)) ? "nothing" : kind;
}

const edits = /^(edit|write|apply_patch)$/;

/** Lines of a plugin's log, in the form that it hands on. */
function handed(line: Payload, place: Stage): { payload: Payload; kind: Kind } {
  const { k, i, o, e, toolName } = line;
  const args = JSON.stringify(record(o).args ?? line.input ?? {});
  const isThere = Object.keys(files).some((name) =>
    [`/${name}"`, `/${name}\\n`, ` ${name}\\n`].some((form) => args.includes(form)),
  );
  const tool = String(record(i).tool ?? toolName ?? "");
  const isBefore = k === "before" || k === "tool_call";
  const isChange = /oldString|oldText|content|patchText/.test(args);
  if (k === "session_start" || record(e).type === "session.created")
    return { payload: shaped(line, place), kind: "said" };
  const kind = isBefore && edits.test(tool) && isThere && isChange ? "denied" : "nothing";
  return { payload: shaped(line, place), kind };
}

function shaped(line: Payload, place: Stage): Payload {
  if (line.k === "event") return { k: "event", i: line.e, directory: place.folder };
  const { e, ctx, sessionId, ...rest } = line;
  if ("toolName" in rest || String(line.k).startsWith("session_"))
    return { ...rest, session: "one", cwd: place.folder };
  return { ...rest, directory: place.folder };
}

async function answered(place: Stage, payload: Payload): Promise<Kind> {
  const { deny, say, input } = place.driver.reply(await place.send(payload));
  if (deny !== null) return "denied";
  if (say !== null) return "said";
  return input === null ? "nothing" : "rewritten";
}

export function capturedPayloads(driver: Driver): void {
  for (const version of driver.versions)
    for (const entry of readdirSync(join(folder, version))) {
      const raw = readFileSync(join(folder, version, entry), "utf8");
      const [name = "", kind] = entry.split(".");
      if (kind === "json")
        test(`${version}: ${name}`, async () => {
          const place = new Stage(driver, files);
          const payload = moved(JSON.parse(raw) as Payload, place.folder);
          expect(await answered(place, payload)).toBe(kindOf(name, payload));
          expect(place.log()).toBe("");
        });
      else
        test(`${version}: every line of ${entry}`, async () => {
          const lines = raw.split("\n").filter((line) => line !== "");
          const place = new Stage(driver, files);
          for (const [at, text] of lines.entries()) {
            // Each to an agent of its own: none has been shown anything.
            const line = moved(JSON.parse(text.replaceAll(/ses_\w+/g, `ses_${at}`)) as Payload, place.folder);
            const { payload, kind } = handed(line, place);
            const alone = "session" in payload ? { ...payload, session: `one-${at}` } : payload;
            expect(await answered(place, alone), text.slice(0, 400)).toBe(kind);
          }
          expect(place.log()).toBe("");
        });
    }
}
