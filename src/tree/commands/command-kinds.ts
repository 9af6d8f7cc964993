/** Tables of the programs that write, that only read, and that remove work that is in no commit. */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Programs that write no file, whatever flags they are given. */
export const readers = words(`
  cat head tail less more nl bat batcat tac rev wc ls ll tree stat file du df pwd cd pushd popd echo printf true false : test
  [ [[ which type whereis whoami id groups date uname uptime printenv hostname ps pgrep grep egrep fgrep zgrep rg ag ack
  uniq cut tr fold fmt column paste join comm cmp diff colordiff jq strings od hexdump md5sum sha1sum sha256sum sha512sum
  cksum b2sum basename dirname realpath readlink seq sleep clear history man help alias export unset set shopt local
  declare readonly return exit break continue shift trap wait jobs read let expr bc locale tty nproc free lsof arch
  getconf umask ulimit hash
`);

/** Programs that only look at their arguments; what else they write is named by a flag in the pattern. */
export const readersUnless: Readonly<Record<string, RegExp>> = {
  sort: /^(-[a-zA-Z]*o|--output)/,
  find: /^-(exec|execdir|ok|okdir|delete|fprint|fprintf|fprint0|fls)/,
  fd: /^(-x|-X|--exec)/,
  yq: /^(-[a-zA-Z]*i|--inplace)/,
  xxd: /^-[a-zA-Z]*r/,
  env: /^[^-=]+$/,
  awk: /[>|]|system\s*\(|^-i|inplace/,
  gawk: /[>|]|system\s*\(|^-i|inplace/,
};

export const gitReaders = words(`
  status log show diff rev-parse ls-files ls-tree ls-remote cat-file describe shortlog grep blame annotate for-each-ref
  merge-base rev-list name-rev whatchanged show-ref var version help check-ignore check-attr count-objects cherry
  range-diff diff-tree diff-index diff-files verify-commit fetch
`);

/** Tests, checks and servers: they are given files to read. Their output goes elsewhere. */
export const checkers = words(`
  vitest jest mocha ava tap pytest tox nosetests tsc mypy pyright flake8 pylint shellcheck yamllint hadolint tsd
  playwright cypress karma rspec phpunit ctest nextest nodemon
`);

/** Subcommands of runners that check: `npm test`, `cargo check`, `go vet`. */
export const checks =
  /^(?:test|tests|check|typecheck|type-check|lint|vet|bench|start|dev|serve|watch|run-tests?)(?:[:.-]|$)/;

export const runners = words(
  "npm pnpm yarn bun npx pnpx bunx cargo go make just deno dotnet mvn gradle rake poetry uv pipenv bundle mix sbt",
);

export const formatters = words(`
  prettier eslint biome black isort ruff autopep8 yapf gofmt goimports gofumpt rustfmt clang-format shfmt dprint stylua
  rubocop standard standardjs oxlint taplo google-java-format ktlint swiftformat mix-format terraform-fmt dos2unix
  unix2dos expand unexpand
`);

/** The last word of a script that formats: `npm run format`, `make fmt`. */
export const formatScript = /(?:^|[:_-])(?:format|fmt|fix|prettier|lint-fix|pretty)(?:$|[:_-])/;

export const packageManagers = words(
  "npm pnpm yarn bun pip pip3 pipx poetry uv pipenv cargo go bundle gem composer mix mvn gradle dotnet nuget brew apt apt-get conda hex",
);

export const packageVerbs = words(
  "install i ci add remove rm uninstall un update upgrade up dedupe audit prune link unlink rebuild get mod sync lock init version tidy require outdated restore fetch vendor download",
);

/** The files that a package manager writes. */
export const packageFiles = words(`
  package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb poetry.lock pyproject.toml
  uv.lock Pipfile Pipfile.lock requirements.txt Cargo.toml Cargo.lock go.mod go.sum Gemfile Gemfile.lock composer.json
  composer.lock mix.exs mix.lock pnpm-workspace.yaml .npmrc .yarnrc.yml deno.lock deno.json
`);

/** Programs that go on until they are stopped. */
export const watchers =
  /(?:^|\s)(?:--watch|-w)(?:\s|$|=)|\b(?:nodemon|webpack-dev-server|http-server|live-server)\b|\b(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?(?:dev|start|serve|watch)\b|\bvite(?:\s+dev|\s*$)/;

/** Words that stand before the program. */
export const prefixes = words(
  "sudo doas command builtin exec nohup time nice ionice stdbuf setsid then do else elif if while until ! { } done fi esac in",
);

/** Programs that start the one they are given; how many words stand between. */
export const wrappers: Readonly<Record<string, RegExp>> = {
  env: /^(?:-.*|[A-Za-z_]\w*=.*)$/s,
  timeout: /^(?:-.*|[\d.]+[smhd]?)$/,
  xargs: /^(?:-.*|\d+|\{\})$/,
  npx: /^-.*$/,
  pnpx: /^-.*$/,
  bunx: /^-.*$/,
  uvx: /^-.*$/,
  rtk: /^-.*$/,
};

export const shells = words("sh bash zsh dash ash ksh fish");

/** Programs whose file arguments are read, but for the last. */
export const copiers = words("cp install ln scp rsync");
