import { lookup } from "node:dns/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Certificate } from "./certificate.js";

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Reads `[HOST:]PORT`; an IPv6 address stands in brackets. Without a host it is this machine alone. */
export function addressIn(text: string): Address | null {
  const [, inBrackets, name, digits] =
    /^(?:(?:\[([0-9a-fA-F:.]+)\]|([^\s:/[\]]+)):)?(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits ?? Number.NaN);
  return port <= 65_535 ? { host: inBrackets ?? name ?? "127.0.0.1", port } : null;
}

/** Whether only programs on this machine reach an address. A name is looked up. */
export async function isLoopback(host: string): Promise<boolean> {
  const addresses = await lookup(host, { all: true });
  return addresses.every(({ address }) => /^(127\.|::1$|::ffff:127\.)/.test(address));
}

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Milliseconds. Proxies keep connections for a minute and use them again: they close them first. */
const usualTimeouts = {
  headersTimeout: 30_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 2000,
};
const handshakeTimeout = 10_000;
const mostConnections = 4096;

export interface Listening extends Address {
  /** The address that a client is given. */
  readonly url: string;
  connections(): Promise<number>;
  /** Shows another certificate to those who connect from now on. */
  renew(certificate: Certificate): void;
  /** Takes no further connection, and closes those on which nothing is under way. */
  stop(): void;
  /** Closes the others as well. */
  close(): void;
}

interface ListenOptions extends Address {
  readonly certificate?: Certificate | undefined;
  readonly timeouts?: Partial<typeof usualTimeouts>;
}

/** Starts to listen. A client that is slow to send is cut off by Node's own server. */
export async function listen(
  { host, port, certificate, timeouts }: ListenOptions,
  answer: Answer,
): Promise<Listening> {
  const settings = { ...usualTimeouts, ...timeouts };
  const secure = certificate ? createTlsServer({ ...settings, ...certificate, handshakeTimeout }) : null;
  const server: Server = secure ?? createServer(settings);
  server.maxConnections = mostConnections;
  server.on("request", (request, response) => void answer(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const { address, port: taken, family } = server.address() as AddressInfo;
  const shown = family === "IPv6" ? `[${address}]` : address;
  return {
    ...{ host: address, port: taken },
    url: `${certificate ? "https" : "http"}://${shown}:${taken}/mcp`,
    connections: () => new Promise((resolve) => server.getConnections((_, count) => resolve(count ?? 0))),
    renew: (next) => secure?.setSecureContext({ cert: next.cert, key: next.key }),
    stop: () => void server.close(),
    close: () => server.closeAllConnections(),
  };
}
