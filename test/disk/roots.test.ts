import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commit, newGround } from "../support/node.js";

const refusal = (code: string, message?: string) =>
  message === undefined ? { code } : { code, message: expect.stringContaining(message) };

describe("roots", () => {
  test("name the rule that refuses", async () => {
    const at = newGround();
    await expect(at.files().identify("../x")).rejects.toMatchObject(
      refusal("outside_roots", `../x is outside the roots: ${at.root}`),
    );
  });

  test.each([
    ["a link to a file", (root: string, out: string) => symlinkSync(join(out, "a.txt"), join(root, "link"))],
    ["a link to a folder", (root: string, out: string) => symlinkSync(out, join(root, "link"))],
    [
      "a link to what does not exist yet",
      (root: string, out: string) => symlinkSync(join(out, "new"), join(root, "link")),
    ],
    [
      "a chain of links",
      (root: string, out: string) => [
        symlinkSync("two", join(root, "link")),
        symlinkSync(out, join(root, "two")),
      ],
    ],
    ["a link upward", (root: string) => symlinkSync("../outside", join(root, "link"))],
  ])("%s does not lead out", async (_, make) => {
    const at = newGround();
    const outside = join(at.root, "../outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "a.txt"), "not yours");
    make(at.root, outside);
    for (const path of ["link", "link/a.txt", "link/new.txt", "link/new/deeper.txt"]) {
      const found = await at
        .files()
        .identify(path)
        .catch((error: { code: string }) => error.code);
      // A link to a file has nothing below it; that is no way out either.
      if (typeof found !== "string") expect(found.key.startsWith(at.root)).toBe(true);
      else expect(found).toBe("outside_roots");
      await expect(commit(at.files(), { [path]: "new" })).rejects.toMatchObject({
        code: expect.stringMatching(/^(outside_roots|io)$/),
      });
    }
  });

  test("a folder whose name begins like a root is not in it", async () => {
    const at = newGround();
    mkdirSync(`${at.root}-other`);
    await expect(at.files().identify(`${at.root}-other/a.txt`)).rejects.toMatchObject(
      refusal("outside_roots"),
    );
  });

  test("links from root to root, and a root that is a link, are fine", async () => {
    const at = newGround();
    const second = join(at.root, "../second");
    mkdirSync(second);
    symlinkSync(second, join(at.root, "link"));
    symlinkSync(at.root, join(at.root, "../alias"));
    const files = at.files({ roots: [join(at.root, "../alias"), second] });
    expect(await commit(files, { "link/a.txt": "new", "b.txt": "new" })).toBe(true);
    const [one, other] = [await files.identify("link/a.txt"), await files.identify(join(second, "a.txt"))];
    expect(one.key).toBe(other.key);
    expect(one.keep).toBe(true);
  });

  test("a root that is turned elsewhere later stays what it was", async () => {
    const at = newGround();
    const alias = join(at.root, "../alias");
    symlinkSync(at.root, alias);
    const files = at.files({ roots: [alias] });
    await files.identify("a.txt");
    mkdirSync(join(at.root, "../other"));
    renameSync(alias, `${alias}.old`);
    symlinkSync(join(at.root, "../other"), alias);
    await expect(files.identify("a.txt")).rejects.toMatchObject(refusal("outside_roots"));
  });

  test("links in a circle", async () => {
    const at = newGround();
    symlinkSync("b", join(at.root, "a"));
    symlinkSync("a", join(at.root, "b"));
    symlinkSync("self/x", join(at.root, "self"));
    for (const path of ["a", "b/c", "self", "self/y"])
      await expect(at.files().identify(path)).rejects.toMatchObject(refusal("io", "circle"));
  });

  test("without confinement a path is its own permission, but its content is not kept", async () => {
    const at = newGround();
    const outside = join(at.root, "../outside.txt");
    const files = at.files({ confine: false });
    expect(await commit(files, { [outside]: "new" })).toBe(true);
    expect((await files.identify(outside)).keep).toBe(false);
    expect((await files.identify("inside.txt")).keep).toBe(true);
    await expect(files.identify(join(at.root, "../.git/config"))).rejects.toMatchObject(refusal("denied"));
  });

  test("relative paths start at the base, else at the first root", async () => {
    const at = newGround();
    mkdirSync(join(at.root, "sub"));
    expect((await at.files().identify("a")).key).toBe(join(at.root, "a"));
    expect((await at.files({ base: join(at.root, "sub") }).identify("a")).key).toBe(join(at.root, "sub/a"));
  });

  test("the state folder is nobody's to edit", async () => {
    const at = newGround();
    const files = at.files({ roots: [join(at.root, "..")] });
    await expect(files.identify("state/v2/x/files/y.json")).rejects.toMatchObject(
      refusal("denied", "state folder"),
    );
  });
});

describe("deny patterns", () => {
  const denied = [
    ...[".git", ".git/config", "sub/.git/hooks/x", ".GIT/config", "id_rsa", "keys/id_ed25519", "id_rsa.bak"],
    ...["server.pem", "a/server.KEY", "x.p12", "x.ppk"],
  ];
  const allowed = [
    ".gitignore",
    ".github/a.yml",
    "x.git/a",
    "id_rsa.pub",
    "pem",
    "key.ts",
    "a.keys",
    "git/config",
  ];

  test.each(denied)("%s is denied, naming the pattern", async (path) => {
    await expect(newGround().files().identify(path)).rejects.toMatchObject(refusal("denied", "deny pattern"));
  });
  test.each(allowed)("%s is not", async (path) => {
    expect((await newGround().files().identify(path)).path).toBe(path);
  });
  test("hold for what a link leads to, and for the link's own name", async () => {
    const at = newGround();
    at.put(".git/config", "x");
    at.put("harmless.txt", "x");
    symlinkSync(".git/config", join(at.root, "looks-fine.txt"));
    symlinkSync("harmless.txt", join(at.root, "id_rsa"));
    for (const path of ["looks-fine.txt", "id_rsa"])
      await expect(at.files().identify(path)).rejects.toMatchObject(refusal("denied"));
  });
  test("can be added, and taken back with !", async () => {
    const at = newGround();
    const files = at.files({ deny: ["*.lock", "/build/", "docs/**/*.html", "!*.pem"] });
    for (const path of ["a.lock", "sub/b.lock", "build/x", "docs/a/b.html"])
      await expect(files.identify(path)).rejects.toMatchObject(refusal("denied"));
    for (const path of ["a.pem", "sub/build/x", "docs.html", "lock"])
      expect((await files.identify(path)).path).toBe(path);
  });
});

describe("secrets are read, but their content is not kept", () => {
  test.each([
    ...[".env", ".env.local", "sub/.env.production", ".ENV", ".netrc", ".git-credentials", "x.kdbx"],
    ...[".aws/credentials", "home/.aws/credentials", ".npmrc", ".pypirc", ".kube/config", "kubeconfig.yaml"],
    ...["credentials.json", "service-account.json", "my/service_account-prod.json", "prod.tfvars"],
    ...["terraform.tfstate", ".docker/config.json", "secrets.yaml", "Secrets.json", "id_backup"],
  ])("%s", async (path) => {
    const at = newGround();
    at.put(path, "TOKEN=1");
    const file = await at.files().identify(path);
    expect(file.keep).toBe(false);
    expect(await at.files().read(file)).not.toBeNull();
  });
  test.each([
    ".env.example",
    ".env.sample",
    "x/.env.template",
    "env.ts",
    ".envrc.example",
    "src/environment.ts",
    ...["secrets.yaml.example", "src/config.json", "kube/config", "credentials.ts", "id_generator.py"],
    ...["src/aws/credentials", "service.ts", "npmrc.md"],
  ])("%s is kept", async (path) => {
    expect((await newGround().files().identify(path)).keep).toBe(true);
  });
  test("more can be named, and a link to one is one", async () => {
    const at = newGround();
    at.put("conf/token.txt", "1");
    symlinkSync("conf/token.txt", join(at.root, "a.txt"));
    const files = at.files({ secrets: ["conf/", "!.env.test"] });
    expect((await files.identify("a.txt")).keep).toBe(false);
    expect((await files.identify(".env.test")).keep).toBe(true);
    expect((await files.identify("b.txt")).keep).toBe(true);
  });
});
