/** The twelve ways in which people reported losing work, the last of them in two forms: commands, and what each takes. */
export interface Way {
  /** What takes the work in that file away. */
  readonly command: (name: string) => string;
  /** Takes files that git does not track. */
  readonly untracked: boolean;
  readonly tracked?: false;
  /** Puts a text of its own in the place of the work: both cannot be in the file, so that the command is undone. */
  readonly overwrites?: true;
  /** Runs before, unseen. */
  readonly first?: string;
}

const both = { untracked: true } as const;
const over = { untracked: true, overwrites: true } as const;

/** The project has a branch `other` where it stands, and for each file another one of its name in `spare`. */
export const ways: Readonly<Record<string, Way>> = {
  "checkout -- .": { command: () => "git checkout -- .", untracked: false },
  restore: { command: () => "git restore .", untracked: false },
  "reset --hard": { command: () => "git reset -q --hard", untracked: false },
  "clean -fd": { command: () => "git clean -fdq", untracked: true, tracked: false },
  "stash and drop": { command: () => "git stash -q -u && git stash drop -q", ...both },
  "switch -f": { command: () => "git switch -q -f other", untracked: false },
  rm: { command: (name) => `rm ${name}`, ...both },
  "mv over": { command: (name) => `mv spare/${name} ${name}`, ...over },
  "> over": { command: (name) => `echo gone > ${name}`, ...over },
  "sed gone wrong": { command: (name) => `sed -i '/work/d' ${name}`, ...both },
  "a script": {
    command: (name) => `python3 -c "open('${name}','w').write('rewritten by a script\\n')"`,
    ...over,
  },
  "a rebase, and the stash dropped": {
    command: () => "git -c rebase.autoStash=false stash -q -u; git rebase -q other; git stash drop -q",
    ...both,
  },
  "a rebase that drops a commit": {
    first: "git add -A && git commit -q -m work",
    command: () => "GIT_SEQUENCE_EDITOR='sed -i s/^pick/drop/' git rebase -q -i HEAD~1",
    ...both,
  },
};
