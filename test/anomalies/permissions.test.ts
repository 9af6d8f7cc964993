import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Ground, newGround } from "../support/node.js";
import { workers } from "./spawn.js";
import type { Books, Tried } from "./worker.js";

/** Root may do anything, so that a process of somebody else is needed; anybody else tries it as themselves. */
const isRoot = process.getuid?.() === 0;
const nobody = 65534;
const user = isRoot ? nobody : (process.getuid?.() ?? -1);

let pool: Awaited<ReturnType<typeof workers>>;
beforeAll(async () => {
  pool = await workers();
});
afterAll(() => pool.dispose());

const own = (path: string, mode?: number, uid = user, gid = uid): string => {
  if (isRoot) chownSync(path, uid, gid);
  if (mode !== undefined) chmodSync(path, mode);
  return path;
};

interface Place extends Ground {
  /** A file of the user's, in folders of the user's. */
  mine(path: string, mode?: number): string;
}

function userGround(): Place {
  const at = newGround();
  own(join(at.root, ".."), 0o755);
  own(at.root);
  mkdirSync(at.state, 0o700);
  own(at.state);
  return {
    ...at,
    mine(path, mode = 0o644) {
      const file = at.put(path, "old");
      for (let folder = join(file, ".."); folder !== at.root; folder = join(folder, "..")) own(folder);
      return own(file, mode);
    },
  };
}

/** Names, kinds and rights of all that is there, without what the program may leave in the state folder. */
function everything(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => {
      const { uid, gid, mode, nlink } = lstatSync(path);
      return `${path} ${uid}:${gid} ${mode.toString(8)} ${nlink}`;
    })
    .sort();
}

async function attempt(at: Ground, changes: Record<string, string | null>, brief = false): Promise<Tried> {
  const { root, state } = at;
  const ended = await pool.run({ kind: "try", root, state, changes, brief }, isRoot ? user : undefined);
  expect(ended.errors).toBe("");
  return JSON.parse(ended.output) as Tried;
}

const leftInState = (at: Ground): string[] =>
  ["locks", "batches"].flatMap((name) => {
    try {
      return readdirSync(join(at.state, name));
    } catch {
      return [];
    }
  });

interface Case {
  readonly name: string;
  readonly prepare: (at: Place) => void;
  readonly changes: Record<string, string | null>;
  readonly error: string;
}

const closedFolder = "this user has no permission to read and write in its folder (EACCES); give it first";
const readOnly = "this user has no permission to write to it (EACCES); give it first";
const beside = { "e/b.txt": "new", "e/f/c.txt": "new" };
const withBoth = (at: Place): void => {
  at.mine("d/a.txt");
  at.mine("e/b.txt");
};

const refusals: Case[] = [
  {
    name: "a read-only file",
    prepare: (at) => void at.mine("d/a.txt", 0o444),
    changes: { "d/a.txt": "new" },
    error: `io: cannot write d/a.txt: ${readOnly}`,
  },
  {
    name: "a read-only file, deleted",
    prepare: (at) => void at.mine("d/a.txt", 0o444),
    changes: { "d/a.txt": null },
    error: `io: cannot delete d/a.txt: ${readOnly}`,
  },
  {
    name: "a file that may not be read",
    prepare: (at) => void at.mine("d/a.txt", 0o200),
    changes: { "d/a.txt": "new" },
    error: "io: cannot read d/a.txt: this user has no permission to read it (EACCES); give it first",
  },
  ...(["new", null] as const).map((after) => ({
    name: `a read-only folder, ${after ?? "delete"}`,
    prepare: (at: Place) => {
      at.mine("d/a.txt");
      chmodSync(join(at.root, "d"), 0o555);
    },
    changes: { "d/a.txt": after },
    error: `io: cannot ${after ? "write" : "delete"} d/a.txt: ${closedFolder}`,
  })),
  ...["d/b.txt", "d/x/y/b.txt"].map((path) => ({
    name: `a read-only folder, create ${path}`,
    prepare: (at: Place) => {
      at.mine("d/a.txt");
      chmodSync(join(at.root, "d"), 0o555);
    },
    changes: { [path]: "new" },
    error: `io: cannot write ${path}: ${closedFolder}`,
  })),
  {
    name: "a folder that may be entered only",
    prepare: (at) => {
      at.mine("d/a.txt");
      chmodSync(join(at.root, "d"), 0o311);
    },
    changes: { "d/a.txt": "new" },
    error: `io: cannot write d/a.txt: ${closedFolder}`,
  },
  ...["d", "."].map((folder) => ({
    name: `a folder that may not be entered: ${folder}`,
    prepare: (at: Place) => {
      at.mine("d/a.txt");
      chmodSync(join(at.root, folder), 0o644);
    },
    changes: { "d/a.txt": "new" },
    error:
      "io: cannot find d/a.txt: this user has no permission to enter a folder on the way (EACCES); give it first",
  })),
  {
    name: "a batch, of which one folder is read-only",
    prepare: (at) => {
      withBoth(at);
      chmodSync(join(at.root, "d"), 0o555);
    },
    changes: { ...beside, "d/a.txt": "new" },
    error: `io: cannot write the batch (e/b.txt, e/f/c.txt, d/a.txt): d/a.txt: ${closedFolder}`,
  },
  {
    name: "a batch, of which one file is read-only",
    prepare: (at) => {
      withBoth(at);
      chmodSync(join(at.root, "d/a.txt"), 0o444);
    },
    changes: { ...beside, "d/a.txt": null },
    error: `io: cannot delete d/a.txt: ${readOnly}`,
  },
];

describe.runIf(process.platform !== "win32")("what a user may do", () => {
  // A write takes these rights away from a file, unless it is root who writes.
  test.each([0o4755, 0o2755, 0o6711])("its rights stay: %o", async (bits) => {
    const at = userGround();
    const path = at.mine("d/a.sh");
    chmodSync(path, bits);
    for (const changes of [{ "d/a.sh": "new" }, { "d/a.sh": "newer", "d/b.sh": "made" }]) {
      expect(await attempt(at, changes)).toMatchObject({ error: null });
      expect(lstatSync(path).mode & 0o7777).toBe(bits);
    }
  });
});

describe.runIf(process.platform !== "win32")("what a user may not do", () => {
  test.each(refusals)("$name: nothing is changed, nothing left, and it is said why", async (one) => {
    const at = userGround();
    one.prepare(at);
    const before = everything(at.root);
    for (const brief of [false, true]) {
      const { error, reports } = await attempt(at, one.changes, brief);
      expect(error).toBe(one.error);
      expect(reports).toEqual([]);
      expect(everything(at.root)).toEqual(before);
      expect(leftInState(at)).toEqual([]);
    }
  });

  test.each(["", "locks", "batches"])("a state folder that may not be written: %j", async (name) => {
    const at = userGround();
    at.mine("d/a.txt");
    at.mine("d/b.txt");
    const closed = join(at.state, name);
    if (name !== "") mkdirSync(closed);
    own(closed, 0o555);
    const before = everything(at.root);
    const changes: Record<string, string> = { "d/a.txt": "new", "d/b.txt": "new" };
    const { error } = await attempt(at, changes);
    const hint = `the state folder ${at.state} may not be written (EACCES); allow that first, or name another in KEDGE_STATE`;
    expect(error).toContain(hint);
    expect(everything(at.root)).toEqual(before);
    own(closed, 0o700);
    expect((await attempt(at, changes)).done).toBe(true);
  });
});

describe.runIf(isRoot)("what root records in a user's state folder", () => {
  const books = async (at: Ground, name: string, as?: number): Promise<Books> => {
    const { root, state } = at;
    const ended = await pool.run({ kind: "ledger", root, state, count: 2, name }, as);
    expect(ended.errors).toBe("");
    return JSON.parse(ended.output) as Books;
  };

  test.each([
    ["the user's", true],
    ["a new one", false],
  ])("belongs to the user, and does not stand in the way: %s", async (_name, isUsed) => {
    const at = userGround();
    at.mine("a.txt");
    if (isUsed) expect((await books(at, "user", user)).applied).toHaveLength(2);
    expect((await books(at, "root")).applied).toHaveLength(2);
    expect(await books(at, "again", user)).toMatchObject({ applied: ["again 0", "again 1"], refused: [] });
    const strangers = everything(at.state).filter((line) => !line.includes(` ${user}:${user} `));
    expect(strangers).toEqual([]);
  });

  test("what may not be written is said to be the state folder", async () => {
    const at = userGround();
    at.mine("a.txt");
    expect((await books(at, "user", user)).applied).toHaveLength(2);
    for (const line of everything(join(at.state, "v2"))) {
      const path = line.split(" ")[0] as string;
      if (path.includes("versions")) chownSync(path, 0, 0);
    }
    const { applied, unrecorded } = await books(at, "again", user);
    expect(applied.filter((line) => at.get("a.txt")?.includes(line))).toEqual(applied);
    expect(applied).not.toEqual([]);
    expect(unrecorded[0]).toContain(
      `the state folder ${at.state} may not be written (EACCES); allow that first`,
    );
  });
});

const others = { uid: 0, gid: nobody };

describe.runIf(isRoot)("a file of somebody else", () => {
  function theirs(mode: number, folder: number, gid = others.gid): Place {
    const at = userGround();
    own(at.put("d/a.txt", "old"), mode, others.uid, gid);
    own(join(at.root, "d"), folder, others.uid, gid);
    at.mine("e/b.txt");
    return at;
  }
  const written: [name: string, at: () => Place][] = [
    ["their group may write, file and folder", () => theirs(0o660, 0o770)],
    ["a folder that gives its group to new files", () => theirs(0o664, 0o2775)],
    ["a folder in which only owners may rename", () => theirs(0o666, 0o1777, 0)],
    [
      "one's own file, of a group one is not in",
      () => {
        const at = theirs(0o660, 0o777);
        own(join(at.root, "d/a.txt"), 0o660, user, 0);
        return at;
      },
    ],
  ];

  test.each(written)("%s: keeps its owner, group and mode", async (_name, make) => {
    const at = make();
    const before = everything(at.root);
    for (const [content, changes] of [
      ["new", { "d/a.txt": "new" }],
      ["newer", { "d/a.txt": "newer", "e/b.txt": "newer" }],
      ["", { "d/a.txt": "", "e/b.txt": "newest" }],
    ] as const) {
      expect(await attempt(at, changes)).toEqual({ done: true, error: null, reports: [] });
      expect(at.get("d/a.txt")).toBe(content);
      expect(everything(at.root)).toEqual(before);
      expect(leftInState(at)).toEqual([]);
    }
  });

  test("may not be removed where only owners may: said, and nothing done", async () => {
    const at = theirs(0o666, 0o1777, 0);
    const before = everything(at.root);
    const why = "not permitted (EPERM): it belongs to somebody else, or is marked as unchangeable";
    const one = await attempt(at, { "d/a.txt": null });
    expect(one).toEqual({ done: null, error: `io: cannot delete d/a.txt: ${why}`, reports: [] });
    const batch = await attempt(at, { "e/b.txt": "new", "e/n/c.txt": "new", "d/a.txt": null });
    const error = `io: cannot write the batch (e/b.txt, e/n/c.txt, d/a.txt): d/a.txt: ${why}`;
    expect(batch).toEqual({ done: null, error, reports: [] });
    expect(everything(at.root)).toEqual(before);
    expect(at.get("e/b.txt")).toBe("old");
    expect(leftInState(at)).toEqual([]);
  });

  test("a lock that they hold is waited for, and not taken for a broken one", async () => {
    const at = userGround();
    at.mine("d/a.txt");
    expect((await attempt(at, { "d/a.txt": "new" })).done).toBe(true);
    const files = at.files();
    const file = await files.identify("d/a.txt");
    const { error } = await files.hold([file], () => attempt(at, { "d/a.txt": "newer" }));
    expect(error).toMatch(/^busy: d\/a\.txt is held by a process of user 0; waited 0\.\d s$/);
    expect(at.get("d/a.txt")).toBe("new");
    expect((await attempt(at, { "d/a.txt": "newer" })).done).toBe(true);
  });
});

test.runIf(!isRoot)("files of somebody else were not tried: that takes root", () => {});
