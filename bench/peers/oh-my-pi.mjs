// @oh-my-pi/hashline, its own Patcher with snapshots: a hash of the whole file, and a recovery when it differs.
import { InMemoryFilesystem, InMemorySnapshotStore, Patch, Patcher } from "@oh-my-pi/hashline";
import { serve } from "./protocol.mjs";

const path = "file.txt";
let open = { number: 0 };

async function begin(number, base) {
  if (open.number === number) return;
  const fs = new InMemoryFilesystem();
  const snapshots = new InMemorySnapshotStore();
  await fs.writeText(path, base);
  const tag = snapshots.record(path, base.replaceAll("\r\n", "\n"));
  open = { number, fs, tag, patcher: new Patcher({ fs, snapshots }), last: base.split(/\r?\n/).length - 1 };
}

function hunk({ start, count, lines }) {
  const body = lines.map((line) => `+${line}`);
  if (count > 0 && lines.length === 0) return [`CUT ${start}.=${start + count - 1}`];
  if (count > 0) return [`PUT ${start}.=${start + count - 1}:`, ...body];
  return [start > open.last ? "PUT >$:" : `PUT <${start}:`, ...body];
}

await serve(async ({ case: number, base, current, edits }) => {
  await begin(number, base);
  await open.fs.writeText(path, current);
  await open.patcher.apply(Patch.parse([`[${path}#${open.tag}]`, ...edits.flatMap(hunk)].join("\n")));
  return { text: await open.fs.readText(path) };
});
