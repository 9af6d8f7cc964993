/** Commands for agents on other hosts. */
import { type Command, type Flag, json, touching } from "../flag-types.js";

const root = touching.find(({ name }) => name === "root") as Flag;

export const ofFleets: readonly Command[] = [
  {
    name: "serve",
    beside: "mcp",
    summary: "serve the tools over HTTP, to agents on other hosts",
    positionals: [],
    records: true,
    flags: [
      {
        name: "http",
        value: "ADDRESS",
        help: "listen here: [HOST:]PORT; without HOST on this machine alone",
      },
      root,
      { name: "tls-cert", value: "F", help: "the certificate, with those that it rests on (PEM)" },
      { name: "tls-key", value: "F", help: "its key (PEM)" },
      { name: "behind-proxy", help: "a proxy in front does TLS; tokens are asked of everybody" },
      {
        name: "host",
        value: "NAME",
        multiple: true,
        help: "a name that clients call it by; may be repeated",
      },
      { name: "calls", value: "N", help: "calls a minute that each token may make (default 600)" },
      { name: "metrics", value: "PORT", help: "figures for Prometheus here as well, on this machine alone" },
    ],
    examples: [
      ["kedge serve --http 8080 --root .", "on this machine: http://127.0.0.1:8080/mcp"],
      [
        "kedge serve --http 0.0.0.0:8443 --root . --tls-cert c.pem --tls-key k.pem",
        "for other hosts, each with a token",
      ],
    ],
    notes: [
      "stdout has a line of JSON for each call, without contents. /healthz and /readyz tell whether it works, /metrics asks for a token. SIGTERM lets",
      "calls that are under way finish. Any number of such servers may serve one tree. More: docs/fleet.md.",
    ],
  },
  {
    name: "token",
    beside: "session",
    summary: "tokens for the server: add, list, revoke",
    positionals: [
      { name: "ACTION", choices: ["add", "list", "revoke"] },
      { name: "NAME", optional: true },
    ],
    records: true,
    flags: [
      { name: "read-only", help: "add: only read_file and grep" },
      {
        name: "path",
        value: "GLOB",
        multiple: true,
        help: "add: only these paths of the tree; may be repeated",
      },
      { name: "days", value: "N", help: "add: it ends after N days" },
      { ...root, help: "the tree (default: that of the working directory)" },
      json,
    ],
    examples: [
      ["kedge token add builder > token.txt", "the token, shown once; only its hash is kept"],
      [
        "kedge token add reviewer --read-only --path 'docs/**' --days 30",
        "less than everything, and not for long",
      ],
      ["kedge token add builder", "again: a second one, to take the place of the first"],
      ["kedge token revoke builder", "all of a name, or one by its id from kedge token list"],
    ],
    notes: ["A token is an agent: NAME in the log. Give --store and --tree as you give them to kedge serve."],
    json: "add: {token, name, readOnly, paths, id, made, until}; list: a line for each without the token; revoke: {revoked}",
  },
];
