/**
 * Random histories in a real repository: agents and a person edit, make, move and delete files; somebody stages, commits, amends,
 * resets and stashes by hand. Whatever came before, a commit of one author holds that author's lines alone, takes nothing
 * back that is staged, and all of them end in the tree.
 */
import { expect, test } from "vitest";
import { bare, History, people, type Texts } from "../authors/history.js";
import { Random } from "../support/random.js";

const seed = Number(process.env.KEDGE_SEED);
const histories = Math.ceil(Number(process.env.KEDGE_RUNS) / 100);
const steps = process.env.KEDGE_LONG ? 30 : 10;

/** Lines of HEAD are older than the record: what becomes of them by hand is the person's. */
const writerOf = (line: string): string => (line.split(" ")[0] as string).replace("head", "person");

async function checkBlame(history: History): Promise<void> {
  const head = history.at("HEAD");
  for (const [path, lines] of history.now()) {
    const rows: { author: unknown }[] = JSON.parse(await history.tree.ok("me", "blame", path, "--json"));
    const old = (head.get(path) ?? []).map(bare);
    const wrong = rows.flatMap(({ author }, at) => {
      const line = bare(lines[at] as string);
      const writer = writerOf(line).replace("person", "outside");
      // A line of HEAD with another line break is whoever's the break is.
      const isRight = author === writer || old.includes(line) || (author === null && !head.has(path));
      return isRight ? [] : [`${path}:${at + 1} ${line}: ${JSON.stringify(author)}`];
    });
    expect(wrong).toEqual([]);
    expect(rows.length).toBe(lines.length);
  }
}

interface State {
  readonly head: Texts;
  readonly index: Texts;
  readonly work: Texts;
}

const stateOf = (history: History): State => ({
  head: history.at("HEAD"),
  index: history.at(""),
  work: history.now(),
});

/** Commits with all that is needed along; a refusal leaves branch and index as they were, and --dry-run shows the commit. */
async function commit(history: History, name: string): Promise<void> {
  const { tree } = history;
  const before = stateOf(history);
  const refs = (): string[] => [tree.git("rev-parse", "HEAD"), tree.git("ls-files", "-s")];
  const old = refs();
  const whose = name === "person" ? ["--person"] : ["--agent", name];
  for (const along = new Set<string>(); ; ) {
    const flags = [...whose, ...[...along].flatMap((one) => ["--with", one]), "--json"];
    const dry = await tree.kedge("me", "commit", ...flags, "--dry-run");
    const { status, out, err } = await tree.kedge("me", "commit", ...flags, "-m", `of ${name}`);
    history.told.push(`kedge commit ${flags.join(" ")}: ${status} ${err}`);
    const told = JSON.parse(out);
    expect([history.now(), dry.status]).toEqual([before.work, status]);
    if (status === 0) {
      checkCommit(before, stateOf(history), { history, names: [name, ...along] });
      const flagsOfDiff = ["-p", "--binary", "--full-index", "--no-renames"];
      const patch = tree.git("diff-tree", ...flagsOfDiff, (old[0] as string).trim(), "HEAD");
      expect(JSON.parse(dry.out).patch).toBe(patch);
      return;
    }
    expect(refs()).toEqual(old);
    if (told.code === "nothing") return;
    expect(told.code).toBe("needs");
    const missing = told.needs.flatMap((need: { author: { authors: string[] } }) => need.author.authors);
    const count = along.size;
    for (const one of missing) along.add(one === "outside" ? "person" : one);
    expect(along.size).toBeGreaterThan(count);
  }
}

interface Committed {
  readonly history: History;
  /** Whose commit it is, and who came along. */
  readonly names: readonly string[];
}

function checkCommit(before: State, after: State, { history, names }: Committed): void {
  for (const path of new Set([...before.head.keys(), ...after.head.keys(), ...before.work.keys()])) {
    const of = (texts: Texts): string[] => (texts.get(path) ?? []).map(bare);
    const [old, made, work] = [of(before.head), of(after.head), of(before.work)];
    const from = before.head.has(path) ? old : [...before.head.values()].flat().map(bare);
    const added = made.filter((line) => !from.includes(line));
    const gone = old.filter((line) => !made.includes(line));
    const staged = (state: State): string[] =>
      of(state.index).filter((line) => !of(state.head).includes(line));
    const unstaged = (state: State): string[] =>
      of(state.head).filter((line) => !of(state.index).includes(line));
    const isStaged = before.index.has(path) && before.head.has(path) && after.head.has(path);
    const wrong = {
      "of others": added.filter((line) => !names.includes(writerOf(line))),
      "not in the tree": added.filter((line) => !work.includes(line)),
      "taken out and there": gone.filter((line) => work.includes(line)),
      "removed by others": gone.filter(
        (line) => before.work.has(path) && !names.some((name) => history.removers.get(line)?.has(name)),
      ),
      "left out": work.filter(
        (line) => line.startsWith(`${names[0]} `) && !made.includes(line) && !from.includes(line),
      ),
      "newly staged": staged(after).filter((line) => isStaged && !staged(before).includes(line)),
      "taken back": unstaged(after).filter((line) => isStaged && !unstaged(before).includes(line)),
      "no longer staged": staged(before).filter(
        (line) => isStaged && work.includes(line) && ![...made, ...staged(after)].includes(line),
      ),
    };
    expect([path, wrong]).toEqual([path, Object.fromEntries(Object.keys(wrong).map((what) => [what, []]))]);
    expect(made.filter((line) => work.includes(line))).toEqual(work.filter((line) => made.includes(line)));
  }
}

async function play(history: History): Promise<void> {
  const { random, tree } = history;
  for (let at = 0; at < steps; at++) {
    await history.step();
    if (random.chance(0.05)) await checkBlame(history);
    if (random.chance(0.03)) await tree.kedge("me", "commit", "--agent", random.pick(people), "--stage");
    if (random.chance(0.1)) await commit(history, random.pick(people));
  }
  await checkBlame(history);
  const order = [...people].sort(() => random.next() - 0.5);
  for (const name of [...order, ...order]) await commit(history, name);
  expect(history.at("HEAD")).toEqual(history.now());
  expect(tree.git("fsck", "--strict").replace(/^(dangling|notice).*\n/gm, "")).toBe("");
}

test.each(Array.from({ length: histories }, (_, at) => seed + at))(
  "commits by author end in the tree, in history %i",
  async (number) => {
    const history = new History(new Random(number));
    try {
      await play(history);
    } catch (error) {
      console.error(`KEDGE_SEED=${number} KEDGE_RUNS=1\n${history.told.join("\n")}`);
      throw error;
    }
  },
  600_000,
);
