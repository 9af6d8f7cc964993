import { describe } from "vitest";
import { storeContract } from "../contract/store.js";
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
});
