import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Document } from "../../src/text/document.js";
import { hasKey, hasKeyInText, withoutSecrets } from "../../src/text/secrets.js";

const long = (length: number): string => "aB3dE6gH9".repeat(30).slice(0, length);

/** Put together here: a scanner of this repository would report them else. */
const keys: Record<string, string> = {
  AWS: `AKIA${"QWERTYUIOPASDFGH"}`,
  "AWS, for a session": `ASIA${"QWERTYUIOPASDFGH"}`,
  "GitHub, personal": `ghp_${long(36)}`,
  "GitHub, fine-grained": `github_pat_${long(60)}`,
  GitLab: `glpat-${long(20)}`,
  Slack: `xoxb-${"123456789012"}-${long(24)}`,
  Stripe: `sk_live_${long(24)}`,
  Anthropic: `sk-ant-${long(60)}`,
  OpenAI: `sk-proj-${long(60)}`,
  Google: `AIza${long(35)}`,
  npm: `npm_${long(36)}`,
  PyPI: `pypi-AgE${long(80)}`,
  "Hugging Face": `hf_${"abcdefghijklmnopqrstuvwxyzABCDEFGH"}`,
  DigitalOcean: `dop_v1_${"0123456789abcdef".repeat(4)}`,
  SendGrid: `SG.${long(22)}.${long(43)}`,
  "a private key": `-----BEGIN RSA PRIVATE KEY-----\n${long(64)}`,
  "a private key in JSON": `"private_key": "-----BEGIN PRIVATE KEY-----\\n${long(64)}`,
};

const harmless: Record<string, string> = {
  "a key's name": "AKIA is how they begin",
  "the example of the documentation": `AKIA${"IOSFODNN7"}EXAMPLE`,
  "the head of a key alone": `if (text.includes("-----BEGIN PRIVATE KEY-----")) return;`,
  "a public key": `-----BEGIN PUBLIC KEY-----\n${long(64)}`,
  "a longer word": `monkey_ghp_${long(10)}`,
  "a test key": `sk_test_${long(24)}`,
  "a hash": "0f0dd9e7a3c19b55".repeat(4),
  "CSS classes": "sk-proj sk-ant-design task-proj-x",
};

describe("a key in a file", () => {
  test.each(Object.entries(keys))("%s is found, in any encoding", (_, key) => {
    expect(hasKeyInText(`before ${key} behind`)).toBe(true);
    for (const bytes of [
      Buffer.from(`a\nkey = ${key}\nb\n`),
      Buffer.from(`\ufeffa\nkey = ${key}\nb\n`, "utf16le"),
      Buffer.from(`\xe9\nkey = ${key}\nb\n`, "latin1"),
    ])
      expect(hasKey(Document.parse(bytes))).toBe(true);
  });

  test.each(Object.entries(harmless))("%s is none", (_, text) => expect(hasKeyInText(text)).toBe(false));

  test("is masked, and the rest of a text stays", () => {
    for (const key of Object.values(keys)) {
      const left = withoutSecrets(`run --with '${key}' now`);
      expect(left).not.toContain(key.slice(-12));
      expect(left).toMatch(/^run --with '.*' now$/s);
    }
  });
});

describe("in a command", () => {
  test.each([
    ["mysql --password=hunter2 -h db", "mysql --password=[masked] -h db"],
    ["mysql --password hunter2 -h db", "mysql --password [masked] -h db"],
    ["PGPASSWORD=hunter2 psql", "PGPASSWORD=[masked] psql"],
    ['API_KEY="hunter2" node x', 'API_KEY="[masked]" node x'],
    ["curl -H 'Authorization: Bearer hunter2' http://x", "curl -H 'Authorization: Bearer [masked]' http://x"],
    ["curl -u me:hunter2 http://x", "curl -u me:[masked] http://x"],
    ["git clone https://me:hunter2@host/x.git", "git clone https://me:[masked]@host/x.git"],
    ["export GITHUB_TOKEN=hunter2", "export GITHUB_TOKEN=[masked]"],
    ['echo {"client_secret": "hunter2"}', 'echo {"client_secret": "[masked]"}'],
  ])("%s", (command, left) => expect(withoutSecrets(command)).toBe(left));

  test.each([
    "git checkout -- src/tokens.ts",
    "sed -i s/token/word/ a.ts",
    "npm test -- --grep password",
    "cat secrets/readme.md",
    "rm -rf build && git commit -m 'keys: sort them'",
  ])("%s stays as it is", (command) => expect(withoutSecrets(command)).toBe(command));
});

test("a text of any kind is looked through in linear time, and masking twice changes nothing more", () => {
  for (const part of [
    "-----BEGIN ",
    "ghp_",
    "xoxb-",
    "SG.",
    "sk-ant-",
    "password=",
    "a://b:",
    "AKIA",
    "token ",
  ])
    expect(withoutSecrets(part.repeat(100_000)).length).toBeGreaterThan(0);
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), (text) => {
      const once = withoutSecrets(text);
      expect(withoutSecrets(once)).toBe(once);
    }),
  );
});
