/** The page: one file that runs and loads nothing, whatever the sessions hold. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Audit, audit, auditPage } from "../../src/audit/index.js";

const fixture = join(import.meta.dirname, "fixtures/claude-code-2.1.325.jsonl");
const found = (): Promise<Audit> => audit({ paths: [fixture], env: {}, home: "/nowhere" });

test("holds every number, and allows its own style alone", async () => {
  const page = auditPage(await found());
  const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? "";
  const hash = createHash("sha256").update(style).digest("base64");
  expect(page).toContain(
    `content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'"`,
  );
  expect(page).not.toMatch(/<script|<link|<img|<iframe|\bsrc=|\bhref=|url\(|@import|\sstyle=|\son\w+=/i);
  expect(page).toContain("1 agent made 9 edits. 4 failed, 1 of them only because of blanks");
  expect(page).not.toContain("compute(");
});

test("shows what sessions hold and obeys none of it", async () => {
  const { report, extent, details } = await found();
  const hostile = `</td><script>alert(1)</script><img src=x onerror="alert(1)">'&\u202e\u001b[31m`;
  const cases = report.cases.map((one) => ({
    ...{ ...one, path: hostile, why: hostile, id: hostile, time: hostile, client: hostile, session: hostile },
  }));
  const days = { [hostile]: { edits: 1, failed: 1 }, "2026-01-01": { edits: 2, failed: 0 } };
  const clients = { [hostile]: { edits: 1, failed: 1, sessions: 1 } };
  const page = auditPage({ report: { ...report, cases }, extent: { ...extent, days, clients }, details });
  expect(page).not.toMatch(/<script|<img/);
  const tags = [...page.matchAll(/<(?!\/|!)(\w+)/g)].map(([, name]) => name);
  expect(new Set(tags)).toEqual(
    new Set(
      "html head meta title style body h1 p figure figcaption svg g rect text h2 div table thead tr th tbody td code".split(
        " ",
      ),
    ),
  );
});

test("the fixture holds what the page must not", () => {
  expect(readFileSync(fixture, "utf8")).toContain("compute(");
});

test("names the first day at the left end of its plot, and the last one where it has room", async () => {
  const { report, extent, details } = await found();
  const days = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [
      `2026-01-${String(at + 1).padStart(2, "0")}`,
      { edits: 3, failed: 1 },
    ]),
  );
  const page = auditPage({ report, extent: { ...extent, days }, details });
  expect(page).toMatch(/<text class="label" x="0\.0"[^>]*>2026-01-01</);
  expect(page).toMatch(/<text class="label end" x="640\.0"[^>]*>2026-01-30</);
});
