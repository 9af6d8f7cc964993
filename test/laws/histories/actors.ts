/** What agents, a person, formatters and git do in a random history. */
import { rmSync } from "node:fs";
import { Command, runs } from "./command.js";
import type { Deed, World } from "./world.js";

type Move = (world: World, by: string) => Promise<void> | void;

const joined = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

/** Some lines of a file next to each other. */
function block({ dice }: World, lines: readonly string[]): [start: number, end: number] {
  const start = dice.below(lines.length + 1);
  return [start, Math.min(lines.length, start + dice.below(4))];
}

function some(world: World, by: string, most = 3): string[] {
  return Array.from({ length: world.dice.between(1, most) }, () => world.fresh(by));
}

/** Another text for the file: some lines replaced, removed or added. */
function altered(world: World, by: string, name: string): string {
  const lines = world.lines(name);
  const [start, end] = block(world, lines);
  const made = world.dice.chance(0.25) && end > start ? [] : some(world, by);
  return joined([...lines.slice(0, start), ...made, ...lines.slice(end)]);
}

function laidOut(text: string): string {
  return text.replace(/^ *(.*?);*$/gm, (_, line: string) => (line === "" ? "" : `    ${line};`));
}

function save(world: World, name: string, text: string, deed: Deed): void {
  world.stage.put(name, text);
  world.account(deed);
}

export const types: Move = (world) => {
  const { dice } = world;
  const deed = { by: "outside", how: "typed", what: "types" } as const;
  if (dice.chance(0.15)) save(world, `new${dice.below(4)}.txt`, joined(some(world, "outside", 6)), deed);
  else if (dice.chance(0.06)) {
    const name = dice.pick(world.names);
    rmSync(world.stage.path(name));
    world.account(deed);
  } else if (world.names.length > 0) {
    const name = dice.pick(world.names);
    if (dice.chance(0.08)) save(world, name, laidOut(world.texts.get(name) ?? ""), deed);
    else save(world, name, altered(world, "outside", name), deed);
  }
};

export const edits: Move = async (world, by) => {
  const { stage, dice } = world;
  const agent = world.agents[by]!;
  const name = dice.pick(world.names);
  await agent.read(stage.path(name));
  world.see(name);
  const lines = world.lines(name);
  if (lines.length === 0) return;
  if (dice.chance(0.2)) {
    const text = altered(world, by, name);
    await agent.write(stage.path(name), text);
    world.account({ by, how: "written", what: `writes ${name}` });
    world.see(name);
    return;
  }
  const start = dice.below(lines.length);
  const old = lines.slice(start, start + dice.between(1, 3));
  const kept = dice.chance(0.6) ? old.slice(0, 1) : [];
  const fresh = [...kept, ...(dice.chance(0.2) && kept.length > 0 ? [] : some(world, by))];
  await agent.edit(stage.path(name), { old: old.join("\n"), new: fresh.join("\n") });
  world.account({ by, how: "quoted", what: `edits ${name}` });
  world.see(name);
};

export const creates: Move = async (world, by) => {
  const name = `made${world.dice.below(5)}.txt`;
  if (world.texts.has(name)) return;
  await world.agents[by]!.write(world.stage.path(name), joined(some(world, by, 6)));
  world.account({ by, how: "written", what: `creates ${name}` });
  world.see(name);
};

/** A command that names the file whose text it is. */
export function namingCommand(world: World, by: string, name: string): [string, Deed["how"]] {
  const { dice } = world;
  const lines = world.lines(name);
  const line = dice.pick(lines.length > 0 ? lines : ["nothing w0"]);
  const word = /\bw\d+\b/.exec(line)?.[0] ?? "w0";
  const to = `${dice.pick(["moved", "lib/moved", "b"])}${dice.below(3)}.txt`;
  const rest = lines.filter(() => dice.chance(0.7));
  return dice.pick<() => [string, Deed["how"]]>([
    () => [`sed -i '/\\b${word}\\b/d' ${name}`, "command"],
    () => [
      `sed -i '${dice.between(1, Math.max(1, lines.length))}a ${world.fresh(by).trim()}' ${name}`,
      "command",
    ],
    () => [`sed -i 's/^.*\\b${word}\\b.*$/${world.fresh(by)}/' ${name}`, "command"],
    () => [`perl -pi -e 's/^.*\\b${word}\\b.*$/${world.fresh(by)}/' ${name}`, "command"],
    () => [`echo '${world.fresh(by)}' >> ${name}`, "command"],
    () => [`echo '${world.fresh(by)}' | tee -a ${name} > /dev/null`, "command"],
    () => [`cat > ${name} <<'EOF'\n${joined([...rest, ...some(world, by)])}EOF`, "command"],
    () => [`printf '%s\\n' '${world.fresh(by)}' > ${name}`, "command"],
    () => [`rm ${name}`, "removed"],
    () => [`mkdir -p lib && mv ${name} ${to}`, "removed"],
    () => [`cp ${name} ${dice.pick(world.names)} || true`, "command"],
    () => [`git mv -f ${name} ${to} 2> /dev/null || true`, "removed"],
  ])();
}

export const commands: Move = async (world, by) => {
  if (world.names.length === 0) return;
  const [text, how] = namingCommand(world, by, world.dice.pick(world.names));
  await runs(world, by, text, how);
};

/** Programs that say nothing of what they write; a person may save other files meanwhile. */
export const programs: Move = async (world, by) => {
  const { dice } = world;
  const [text, takes] = dice.pick([
    ["./run.sh", 400],
    ["make all", 900],
    ["make all", 30_000],
    ["npm test", 45_000],
    ["node scripts/build.js", 5_000],
  ] as const);
  const command = new Command(world, by, text, false);
  await command.begin();
  world.pass(takes / 2);
  if (takes > 2_000 && dice.chance(0.5)) await types(world, "outside");
  if (dice.chance(0.7) && world.names.length > 0) {
    const name = dice.pick(world.names);
    save(world, name, altered(world, by, name), { by, how: "command", what: text });
  }
  if (takes > 2_000 && dice.chance(0.3)) await types(world, "outside");
  await command.end({ how: "command", takes: takes / 2 });
};

export const formats: Move = async (world, by) => {
  const { dice } = world;
  if (world.names.length === 0) return;
  const name = dice.pick(world.names);
  const isAll = dice.chance(0.3);
  const text = isAll ? "npm run format" : `npx prettier --write ${name}`;
  const command = new Command(world, by, text, false);
  await command.begin();
  world.pass(dice.pick([200, 3_000]));
  for (const one of isAll ? world.names : [name]) world.stage.put(one, laidOut(world.texts.get(one) ?? ""));
  world.account({ by, how: "command", what: text });
  await command.end({ how: "command" });
};

/** Two agents run something at the same time. */
export const together: Move = async (world, by) => {
  if (world.names.length === 0) return;
  const other = by === "one" ? "two" : "one";
  const [text, how] = namingCommand(world, other, world.dice.pick(world.names));
  const long = new Command(world, by, "make all", false);
  const short = new Command(world, other, text);
  await long.begin();
  world.pass(500);
  await short.begin();
  world.pass(100);
  await short.end({ how });
  if (world.dice.chance(0.6) && world.names.length > 0) {
    const name = world.dice.pick(world.names);
    save(world, name, altered(world, by, name), { by, how: "command", what: "make all" });
  }
  await long.end({ how: "command", takes: 4_000 });
};

/** Something that goes on in the background, and writes its file again and again, at first while no command runs. */
export const serves: Move = async (world, by) => {
  const name = `gen-${by}.txt`;
  const deed = { by, how: "typed", what: "npm run dev" } as const;
  if (!world.texts.has(name)) {
    await runs(world, by, "npm run dev > /dev/null 2>&1 & true");
    world.pass(3_000);
    save(world, name, joined(some(world, by)), deed);
    await asks(world, by);
  } else save(world, name, `${world.texts.get(name)}${joined(some(world, by, 2))}`, deed);
};

export const asks: Move = async (world, by) => {
  const { stage } = world;
  world.see();
  const [payload] = [stage.driver.begin({ conversation: by, cwd: stage.folder })];
  await stage.send({ ...payload, hook_event_name: "UserPromptSubmit", prompt: "go on" });
};

export const looks: Move = async (world, by) => {
  await world.agents[by]!.shell(
    world.dice.pick(["git status --short", "ls", "cat *.txt", "git diff --stat"]),
  );
};

function gitCommand(world: World): [string, Deed["how"]] {
  const { dice } = world;
  const name = dice.pick(world.names.length > 0 ? world.names : ["a.txt"]);
  return dice.pick<[string, Deed["how"]]>([
    ["git checkout -- .", "swept"],
    [`git checkout -- ${name}`, "command"],
    ["git restore .", "swept"],
    ["git reset -q --hard", "swept"],
    ["git clean -fdq", "swept"],
    ["git stash -q", "swept"],
    ["git stash -q -u", "swept"],
    ["git stash pop -q", "swept"],
    ["git stash pop -q", "swept"],
    ["git stash drop -q", "swept"],
    ["git add -A && git commit -qm all", "swept"],
    ["git commit -qam tracked", "swept"],
    [`git add ${name} && git commit -qm one -- ${name}`, "swept"],
    ["git commit -q --amend --no-edit", "swept"],
    ["git checkout -q other", "swept"],
    ["git checkout -q main", "swept"],
    ["git switch -q -f other", "swept"],
    ["git switch -q -f main", "swept"],
    ["git checkout -q -B side", "swept"],
    ["git checkout -q main && git branch -D side", "swept"],
    ["git merge -q other -m merged || git merge --abort", "swept"],
    ["git rebase -q other || git rebase --abort", "swept"],
    ["git reset -q HEAD~1", "swept"],
    ["git reset -q --hard HEAD~1", "swept"],
  ]);
}

export const gits: Move = async (world, by) => {
  const [text, how] = gitCommand(world);
  if (by !== "outside") return runs(world, by, text, how);
  world.stage.foreign(`(${text}) > /dev/null 2>&1 || true`);
  world.account({ by, how, what: `in a terminal: ${text}` });
};

export const moves: readonly (readonly [weight: number, name: string, move: Move])[] = [
  [16, "types", types],
  [16, "edits", edits],
  [4, "creates", creates],
  [20, "commands", commands],
  [10, "programs", programs],
  [4, "formats", formats],
  [4, "together", together],
  [3, "serves", serves],
  [4, "asks", asks],
  [3, "looks", looks],
  [20, "gits", gits],
];
