// docs/api.md: every public name with its declaration and comment, from the declarations that the package ships.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build, isFresh } from "../build.mjs";
import { readJson, root } from "../shell.mjs";

const about = {
  ".": "Everything that needs no platform: sessions, edits, anchors, and the ports with their versions in memory.",
  "./node": "A session on the disk, and its parts.",
  "./ai-sdk": "Tools for the Vercel AI SDK.",
  "./anthropic": "Tools for the Anthropic SDK.",
  "./openai": "Tools for the OpenAI SDKs.",
};

export default async function apiPage() {
  if (!isFresh()) {
    const { ok, output } = await build();
    if (!ok) throw new Error(output);
  }
  const { exports } = readJson("package.json");
  const sections = Object.entries(about).map(([name, words]) => {
    const found = exported(join(root, exports[name].types)).sort((one, two) =>
      one.name.localeCompare(two.name, "en"),
    );
    const [values, types] = [found.filter(({ isType }) => !isType), found.filter(({ isType }) => isType)];
    const entry = `kedge${name.slice(1)}`;
    return [
      `## \`${entry}\``,
      words,
      ...values.map(entryOf),
      ...(types.length > 0 ? [`### Types of \`${entry}\``] : []),
      ...types.map(entryOf),
    ].join("\n\n");
  });
  const text = `# API reference

<!-- Made from the package's declarations by scripts/docs/api.mjs. Do not edit. -->

What stands after \`// →\` is printed by the example; a test runs each. How the parts go together: [library.md](library.md) and
[embedding.md](embedding.md).

${sections.join("\n\n")}
`;
  return [{ path: "docs/api.md", text }];
}

/** The names that a module exports, each with its declaration, followed through re-exports. */
function exported(path) {
  const text = readFileSync(path, "utf8");
  const own = declarations(text).filter(({ code }) => code.startsWith("export "));
  const passed = [...text.matchAll(/^export (type )?\{([^}]*)\} from "([^"]+)\.js";/gm)].flatMap(
    ([, allTypes, names, from]) => {
      const found = exported(join(path, "..", `${from}.d.ts`));
      return names
        .split(",")
        .map((one) => one.trim())
        .filter((one) => one !== "")
        .map((one) => {
          const [name, as = name] = one.replace(/^type /, "").split(" as ");
          const target = found.find((entry) => entry.name === name);
          if (!target) throw new Error(`${path}: ${name} is not in ${from}`);
          return {
            ...target,
            name: as,
            isType: target.isType || allTypes !== undefined || one.startsWith("type "),
          };
        });
    },
  );
  return [...own, ...passed];
}

/** The top-level declarations of a file with their comments; overloads count as one. */
function declarations(text) {
  const found = [];
  let comment = "";
  let lines = [];
  for (const line of text.split("\n")) {
    if (lines.length === 0 && /^(\/\*\*| \*|\s+\*)/.test(line)) {
      comment = line.startsWith("/**") ? line : `${comment}\n${line}`;
      continue;
    }
    if (lines.length === 0 && line.trim() === "") continue;
    lines.push(line);
    const depth = [
      ...lines
        .join("\n")
        .replace(/=>/g, "")
        .replace(/\/\*[\s\S]*?\*\//g, ""),
    ].reduce((sum, letter) => sum + ("{([".includes(letter) ? 1 : "})]".includes(letter) ? -1 : 0), 0);
    if (depth > 0 || !/[;}]$/.test(line)) continue;
    const code = lines.join("\n");
    const name = /^(?:export )?(?:declare )?(?:abstract )?(?:function|class|const|interface|type) (\w+)/.exec(
      code,
    )?.[1];
    const isType = /^(?:export )?(?:interface|type) /.test(code);
    if (name !== undefined) found.push({ name, code, comment, isType });
    [comment, lines] = ["", []];
  }
  return found;
}

function entryOf({ name, code, comment, isType }) {
  const words = comment
    .replace(/^\/\*\*\s?|\s*\*\/$/g, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, ""))
    .join("\n")
    .trim();
  const [prose, example] = words.split(/\n*@example\s*/);
  const declared = code
    .replace(/^export (declare )?/, "")
    .replace(/^ {4}private .*\n/gm, "")
    .replace(/^( {4})+/gm, (blanks) => blanks.slice(blanks.length / 2));
  const isTable = /^const \w+: \{/.test(declared) && declared.split("\n").length > 12;
  const shown = isTable ? `${declared.split("\n")[0]} … };` : declared;
  return [
    `${isType ? "####" : "###"} \`${name}\``,
    ...(prose ? [prose.trim()] : []),
    `\`\`\`ts\n${shown}\n\`\`\``,
    ...(example ? [`Example:\n\n\`\`\`ts\n${example.trim()}\n\`\`\``] : []),
  ].join("\n\n");
}
