import { describe, expect, it, test } from "vitest";
import { pathsIn } from "../../../src/guard/output/paths.js";
import { carriedText } from "../../../src/guard/output/text-in-command.js";

describe("paths in commands and outputs", () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["cat src/a.ts", ["src/a.ts"]],
    ["cat ./src/a.ts src/a.ts", ["src/a.ts"]],
    ["sed -n '10,20p' src/a.ts", ["src/a.ts"]],
    ["sed -n 10,20p a.ts", ["a.ts"]],
    ["sed -i 's/a.b/c.d/g' a.ts", ["a.ts"]],
    ["cat 'my file.txt' \"other file.txt\"", ["my file.txt", "other file.txt"]],
    ["cat my\\ file.txt", ["my file.txt"]],
    ["cat src\\lib\\a.ts", ["src\\lib\\a.ts"]],
    ["cat C:\\src\\a.ts", ["C:\\src\\a.ts"]],
    ["tool --file=src/a.ts --config='b c.json' -v", ["src/a.ts", "b c.json"]],
    ["CONFIG=a.json run.sh", ["a.json", "run.sh"]],
    ["cat <a.txt >b.txt 2>>c.txt", ["a.txt", "b.txt", "c.txt"]],
    ["cat a.ts;cat b.ts|head&&cat c.ts", ["a.ts", "b.ts", "c.ts"]],
    ["diff <(git show HEAD:src/a.ts) src/a.ts", ["src/a.ts"]],
    ["bash -lc 'sed -n 1,20p src/a.ts'", ["src/a.ts"]],
    ["cat *.ts src/**/b.ts a?.ts", []],
    ["curl https://example.org/a.ts", []],
    ['cat $HOME/a.ts "$X/b.ts"', []],
    ["cat 'app/[id]/page.tsx' app/(group)/page.tsx", ["app/[id]/page.tsx", "app/(group)/page.tsx"]],
    ["cat .gitignore src/.env.local", ["src/.env.local", ".gitignore"]],
    ["src/a.ts:12:  const b = 1;", ["src/a.ts"]],
    ["src/a.ts-12-  return;", ["src/a.ts"]],
    ["src/a.ts:export const x", ["src/a.ts"]],
    ["see src/a.ts, src/b.ts: (src/c.ts) and `src/d.ts`.", ["src/a.ts", "src/b.ts", "src/c.ts", "src/d.ts"]],
    ["at run (/project/src/a.ts:12:5)", ["/project/src/a.ts"]],
    ["it's in src/a.ts, isn't it", ["src/a.ts"]],
    ["==> src/a.ts <==", ["src/a.ts"]],
    [
      "diff --git a/src/a.ts b/src/a.ts\n--- a/src/a.ts\n+++ b/src/a.ts",
      ["src/a.ts", "a/src/a.ts", "b/src/a.ts"],
    ],
    ["--- /dev/null\n+++ b/src/new.ts", ["src/new.ts", "b/src/new.ts"]],
    ['+++ "b/src/\\303\\244.ts"', ["src/ä.ts", "b/src/ä.ts"]],
    [" M src/a.ts\n?? new.ts", ["src/a.ts", "new.ts"]],
    ["\tmodified:   src/a.ts\r", ["src/a.ts"]],
    ["cd lib && cat a.ts", ["lib/a.ts", "a.ts"]],
    ["cd lib/ && cd 'sub dir'; cat ../a.ts", ["lib/a.ts", "../a.ts"]],
    ["(cd /project/lib && cat a.ts /etc/b.conf)", ["/project/lib/a.ts", "/etc/b.conf", "a.ts"]],
    ["cd $DIR && cat a.ts", ["a.ts"]],
    ["git -C lib diff a.ts; cat b.ts", ["lib/a.ts", "a.ts", "b.ts"]],
    ["bash -c 'cd lib && cat a.ts'", ["lib/a.ts", "a.ts"]],
  ];
  test.each(cases)("%s", (text, expected) => {
    const likely = pathsIn(text, 100).filter((path) => path.includes("."));
    expect(likely).toEqual(expected);
  });

  it("gives words that are likely files before others", () => {
    expect(pathsIn("cat notes Makefile a.ts src/b.ts src/c.ts:3", 10)).toEqual([
      "src/c.ts",
      "src/b.ts",
      "a.ts",
      "Makefile",
      "notes",
      "cat",
    ]);
    expect(pathsIn("cat notes Makefile a.ts src/b.ts src/c.ts:3", 2)).toEqual(["src/c.ts", "src/b.ts"]);
    expect(pathsIn("cat a.ts", 0)).toEqual([]);
  });
});

describe("text that a command carries", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["cat > a.ts <<'EOF'\none $x\n\n  two\\n\nEOF", "one $x\n\n  two\\n\n"],
    ['cat <<"END MARK" > a.ts\none\nEOF\nEND MARK\necho done', "one\nEOF\ndone\n"],
    ["cat > a.ts <<EOF\ncost \\$5 \\`x\\` a\\\\b \\n\nEOF", "cost $5 `x` a\\b \\n\n"],
    ["if true; then\n\tcat <<-EOF\n\t\tone\n\ttwo\n\tEOF\nfi", "one\ntwo\n"],
    ["cat <<A >a; cat <<B >b\none\nA\ntwo\nB", "one\ntwo\n"],
    ["git commit -m \"$(cat <<'EOF'\nsubject\nEOF\n)\"", "subject\n"],
    ["cat <<EOF\nnever ended", ""],
    ["echo $((1 << shift))", "$\n"],
    ["echo 'one  two' >> a.txt", "one  two\n"],
    ["echo one   two", "one two\n"],
    ['echo "say \\"yes\\" \\$5" | tee a.txt', 'say "yes" $5\n'],
    ["echo 'first\nsecond' > a.txt", "first\nsecond\n"],
    ["echo -e 'a\\tb\\nc' > a.txt", "a\tb\nc\n"],
    ["echo 'a\\tb'", "a\\tb\n"],
    ["echo -n x; X=1 echo y && sudo echo z", "x\ny\nz\n"],
    ["echo $'it\\'s\\n' 2>&1", "it's\n"],
    ["printf 'a\\nb\\n' > a.txt", "a\nb\n"],
    ["printf '%s\\n' one 'two three' 4", "one\ntwo three\n4\n"],
    ["printf '%s=%d%%\\n' a 1 b 2", "a=1%\nb=2%\n"],
    ["cat <<< 'here it is'", "here it is\n"],
    ["cat a.txt | grep echo", ""],
    ["", ""],
  ];
  test.each(cases)("%s", (command, expected) => {
    expect(carriedText(command)).toBe(expected);
  });
});
