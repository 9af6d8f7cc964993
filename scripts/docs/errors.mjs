// docs/errors.md: every way a call can be refused, from the table in src/edits/codes.ts.
import { load } from "../sources.mjs";

export default async function errors() {
  const { codes } = await load("src/edits/codes.ts");
  const { exitStatuses } = await load("src/cli/flag-types.ts");
  const rows = Object.entries(codes).map(
    ([code, { exit, meaning, next }]) => `| \`${code}\` | ${exit} | ${meaning} | ${next} |`,
  );
  const statuses = exitStatuses.map(([status, meaning]) => `| ${status} | ${meaning} |`);
  const text = `# Errors

<!-- Made from src/edits/codes.ts by scripts/docs/errors.mjs. Do not edit. -->

A refusal is a value: \`details.status\` is \`refused\`, \`details.code\` is one of these, and nothing was written. Its text
begins with \`REJECTED, nothing written.\` and ends with the next call to make.

| code | exit status | meaning | what to do |
|---|---|---|---|
${rows.join("\n")}

A quote of \`replace_text\` that stands nowhere is \`stale\` if it stood in a version that was shown, else \`not_found\`. If one place that was shown
reads the same but for blanks at line starts and ends, the refusal shows its rows and the edit as it would be with the blanks of the
file, and its retry handle writes that ([decisions/003](decisions/003-no-autocorrection.md)).

With problems of several kinds in one call, usage (2) decides, then the gate (4), then staleness (5), then the rest (1).

## Exit statuses of the command line

| status | meaning |
|---|---|
${statuses.join("\n")}
`;
  return [{ path: "docs/errors.md", text }];
}
