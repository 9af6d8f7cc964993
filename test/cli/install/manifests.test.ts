/**
 * Files that registries and marketplaces read, each held to its published format. The formats are restated here, as far as
 * they say something about these files, with the address of their source.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Schema, schemaFaults } from "../../support/schema.js";

const json = (path: string) => JSON.parse(readFileSync(path, "utf8"));
const manifest = json("package.json");

const text: Schema = { type: "string", pattern: /./ };
const uri: Schema = { type: "string", pattern: /^https:\/\/\S+$/ };
const kebab: Schema = { type: "string", pattern: /^[a-z0-9]+(-[a-z0-9]+)*$/ };
const version: Schema = { type: "string", pattern: /^\d+\.\d+\.\d+(-[\w.]+)?$/ };
const person: Schema = {
  type: "object",
  required: ["name"],
  properties: { name: text, email: text, url: uri },
};
const local: Schema = { type: "string", pattern: /^\.\/(?!.*\.\.)/ };
const texts: Schema = { type: "array", items: text };

/** https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json */
const argument: Schema = {
  ...{ type: "object", required: ["type"] },
  anyOf: [
    { required: ["value"], properties: { type: { oneOf: ["positional"] }, value: text } },
    { required: ["name"], properties: { type: { oneOf: ["named"] }, name: text } },
  ],
};
const server: Schema = {
  ...{ type: "object", closed: true, required: ["name", "description", "version"] },
  properties: {
    $schema: { oneOf: ["https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"] },
    name: { type: "string", pattern: /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/, longest: 200 },
    title: { ...text, longest: 100 },
    description: { ...text, longest: 100 },
    version: { ...version, longest: 255 },
    websiteUrl: uri,
    repository: {
      ...{ type: "object", required: ["url", "source"] },
      properties: { url: uri, source: { oneOf: ["github", "gitlab"] } },
    },
    packages: {
      type: "array",
      items: {
        ...{ type: "object", closed: true, required: ["registryType", "identifier", "transport"] },
        properties: {
          registryType: { oneOf: ["npm", "pypi", "oci", "nuget", "mcpb"] },
          identifier: text,
          version,
          runtimeHint: { oneOf: ["npx", "uvx", "docker", "dnx"] },
          transport: { type: "object", required: ["type"], properties: { type: { oneOf: ["stdio"] } } },
          packageArguments: { type: "array", items: argument },
        },
      },
    },
  },
};

/** https://json.schemastore.org/claude-code-marketplace.json, and Copilot CLI's of the same names. */
const marketplace: Schema = {
  ...{ type: "object", closed: true, required: ["name", "owner", "plugins"] },
  properties: {
    name: kebab,
    owner: person,
    description: text,
    metadata: { type: "object", closed: true, properties: { description: text, version } },
    plugins: {
      type: "array",
      items: {
        ...{ type: "object", closed: true, required: ["name", "source"] },
        properties: { name: kebab, source: local, description: { ...text, longest: 1024 }, version },
      },
    },
  },
};

/** https://json.schemastore.org/claude-code-plugin-manifest.json; Copilot CLI takes the same members. */
const plugin: Schema = {
  ...{ type: "object", closed: true, required: ["name"] },
  properties: {
    ...{ name: { ...kebab, longest: 64 }, version, description: { ...text, longest: 1024 } },
    ...{ author: person, license: { oneOf: ["MIT"] }, keywords: texts, homepage: uri, repository: uri },
    hooks: { type: "string", pattern: /^\.\/[\w/]+\.json$/ },
  },
};

/** https://json.schemastore.org/codex-plugin-manifest.json: hooks are found in hooks/hooks.json, and have no member here. */
const face = ["displayName", "shortDescription", "longDescription", "developerName", "category"];
const codexPlugin: Schema = {
  ...{ type: "object", closed: true },
  required: ["name", "version", "description", "author", "interface"],
  properties: {
    ...{ name: kebab, version, description: text, author: person },
    ...{ license: text, keywords: texts, homepage: uri, repository: uri },
    interface: {
      ...{ type: "object", closed: true, required: [...face, "capabilities", "defaultPrompt"] },
      properties: {
        ...Object.fromEntries(face.map((name) => [name, text])),
        capabilities: texts,
        defaultPrompt: texts,
      },
    },
  },
};

/** https://developers.openai.com/codex/plugins/build */
const codexMarketplace: Schema = {
  ...{ type: "object", closed: true, required: ["name", "plugins"] },
  properties: {
    name: kebab,
    interface: { type: "object", closed: true, properties: { displayName: text } },
    plugins: {
      type: "array",
      items: {
        ...{ type: "object", closed: true, required: ["name", "source", "policy", "category"] },
        properties: {
          name: kebab,
          category: text,
          source: {
            ...{ type: "object", required: ["source", "path"] },
            properties: { source: { oneOf: ["local"] }, path: local },
          },
          policy: {
            ...{ type: "object", required: ["installation", "authentication"] },
            properties: {
              installation: { oneOf: ["AVAILABLE", "INSTALLED_BY_DEFAULT", "NOT_AVAILABLE"] },
              authentication: { oneOf: ["ON_INSTALL", "ON_USE"] },
            },
          },
        },
      },
    },
  },
};

const files: readonly (readonly [string, Schema])[] = [
  ["server.json", server],
  [".claude-plugin/marketplace.json", marketplace],
  [".github/plugin/marketplace.json", marketplace],
  [".agents/plugins/marketplace.json", codexMarketplace],
  ["plugins/claude-code/.claude-plugin/plugin.json", plugin],
  ["plugins/claude-code-tools/.claude-plugin/plugin.json", plugin],
  ["plugins/codex/.codex-plugin/plugin.json", codexPlugin],
  ["plugins/copilot/plugin.json", plugin],
];

describe("a file for a registry or a marketplace", () => {
  test.each(files)("%s has the published form", (path, schema) => {
    expect(schemaFaults(json(path), schema)).toEqual([]);
  });

  test("a file that has not is found", () => {
    const wrong = { ...json("server.json"), name: "kedge", description: "x".repeat(101), colour: "red" };
    expect(schemaFaults(wrong, server)).toEqual([
      expect.stringContaining("$.name: kedge does not match"),
      "$.description: 101 characters, at most 100",
      "$: colour is not known",
    ]);
    expect(schemaFaults({ name: "a b", plugins: [{}] }, marketplace)).toEqual([
      "$: owner is missing",
      expect.stringContaining("$.name: a b does not match"),
      ...["$.plugins[0]: name is missing", "$.plugins[0]: source is missing"],
    ]);
    expect(schemaFaults({ type: "named", value: "x" }, argument)).toEqual(["$: fits none of the forms"]);
  });

  test("the registry finds this package by the name that it gives itself", () => {
    const { name, version: own, packages } = json("server.json");
    expect(manifest.mcpName).toBe(name);
    expect(name).toBe(
      `io.github.${/github\.com\/([^/]+)/.exec(manifest.repository.url)?.[1]}/${manifest.name}`,
    );
    expect([own, packages[0]]).toEqual([
      manifest.version,
      expect.objectContaining({ identifier: manifest.name, version: manifest.version }),
    ]);
  });

  const listed = [".claude-plugin", ".github/plugin", ".agents/plugins"].flatMap((folder) =>
    (json(join(folder, "marketplace.json")).plugins as Record<string, unknown>[]).map(({ name, source }) => ({
      ...{ folder, name },
      path: typeof source === "string" ? source : (source as { path: string }).path,
    })),
  );

  test.each(listed)(
    "$folder: $name is where it says, with its programs and this version",
    ({ name, path }) => {
      const places = [".claude-plugin/plugin.json", ".codex-plugin/plugin.json", "plugin.json"];
      const found = places.map((place) => join(path, place)).filter((place) => existsSync(place));
      expect(found).toHaveLength(1);
      expect(json(found[0] as string)).toMatchObject({ name, version: manifest.version });
      expect(existsSync(join(path, "dist/THIRD-PARTY-NOTICES.txt"))).toBe(true);
    },
  );
});
