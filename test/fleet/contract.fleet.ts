import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe } from "vitest";
import type { Files } from "../../src/ports/files.js";
import { filesContract } from "../contract/files.js";
import { storeContract } from "../contract/store.js";
import { ground } from "../support/node.js";
import { databaseUrl } from "./database.js";
import { newTree, openHost } from "./fleet.js";

const url = databaseUrl();

describe.skipIf(url === null)("PostgreSQL", () => {
  storeContract("in a database", () => openHost(url as string));
  storeContract("in a database, by a pool of one connection", () =>
    openHost(url as string, { connections: 1 }),
  );
  storeContract("in a database, by hosts in turn", () => {
    const tree = newTree();
    const hosts = [0, 1, 2].map(() => openHost(url as string, { tree, brief: true }));
    let turn = 0;
    const next = () => (hosts[turn++ % hosts.length] as (typeof hosts)[0]).store;
    return {
      store: new Proxy(hosts[0]?.store as object, {
        get: (_, name) => (next() as unknown as Record<string | symbol, unknown>)[name],
      }) as ReturnType<typeof next>,
      dispose: async () => {
        for (const host of hosts) await host.dispose();
      },
    };
  });

  filesContract("on disk, behind the fence of a database", () => {
    const at = ground();
    const host = openHost(url as string, { root: at.root });
    const disk = at.files();
    const files: Files = {
      ...{ isLasting: true, search: (query) => disk.search(query) },
      identify: (path) => disk.identify(path),
      read: (file) => disk.read(file),
      hold: (ids, body, signal) =>
        disk.hold(
          ids,
          (held) =>
            host.store.unit(ids, "one", ({ fence }) =>
              body({ ...held, commit: (writes, own) => held.commit(writes, own ?? fence) }),
            ),
          signal,
        ),
    };
    return {
      files,
      put(path, content) {
        mkdirSync(dirname(join(at.root, path)), { recursive: true });
        writeFileSync(join(at.root, path), content);
      },
      get(path) {
        try {
          return readFileSync(join(at.root, path));
        } catch {
          return null;
        }
      },
      async dispose() {
        await host.dispose();
        at.dispose();
      },
    };
  });
});
