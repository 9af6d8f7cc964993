/** The question before an action writes: what it would write, from a dry run of the very call. */
import { useEffect, useState } from "preact/hooks";
import { visible, visibleText } from "../../../text/index.js";
import type { ActionAnswer } from "../../contract.js";
import { counted } from "../../words.js";
import { Dialog, Diff } from "../parts.js";
import type { Source } from "../source.js";
import type { Wish } from "./events.js";

export function Confirm({ wish, source, close }: { wish: Wish; source: Source; close: () => void }) {
  const [preview, setPreview] = useState<ActionAnswer | null>(null);
  const [done, setDone] = useState<ActionAnswer | null>(null);
  const [isBusy, setBusy] = useState(false);
  const failed = (error: unknown): ActionAnswer => ({
    ok: false,
    text: error instanceof Error ? error.message : String(error),
    diff: "",
    paths: [],
  });
  const request = { ids: wish.ids };
  useEffect(() => {
    source
      .act(wish.action, { ...request, dryRun: true })
      .then(setPreview, (error) => setPreview(failed(error)));
  }, []);
  const act = async () => {
    setBusy(true);
    setDone(await source.act(wish.action, request).catch(failed));
    setBusy(false);
  };
  const verb = wish.action === "restore" ? "Restore" : "Undo";
  const shown = done ?? preview;
  return (
    <Dialog title={wish.title} onClose={close}>
      {shown === null ? <p>Looking at what this would write…</p> : null}
      {shown && !done && shown.ok ? (
        <p>
          This writes {counted(shown.paths.length, "file")}: {shown.paths.map(visible).join(", ")}.
        </p>
      ) : null}
      {shown && (done || !shown.ok) ? (
        <p class={shown.ok ? "good" : "bad"}>{visibleText(shown.text)}</p>
      ) : null}
      {shown?.diff ? <Diff text={shown.diff} /> : null}
      <p class="buttons">
        {done ? null : (
          <button type="button" class="action" disabled={isBusy || !preview?.ok} onClick={act}>
            {isBusy ? "Writing…" : verb}
          </button>
        )}
        <button type="button" onClick={close}>
          {done ? "Close" : "Cancel"}
        </button>
      </p>
    </Dialog>
  );
}
