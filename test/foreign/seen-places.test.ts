/** Text that an agent saw in one place is not taken for the same text in another, nor for more than it quotes. */
import { describe, expect, it } from "vitest";
import { patch, quote, stage } from "../support/foreign.js";
import { path } from "../support/session.js";

describe("a hunk that begins or ends with a blank line", () => {
  it("is seen where its lines were seen whole, not where a part of them reads the same", async () => {
    const at = stage("a } _ b c } d");
    await at.shown(1, 4);
    at.write("a X _ b c } _ d");
    await at.shown(4, 6);
    expect(await at.answer(patch(["@@", "-}", "+)", " "]))).toBe("stale");
  });

  it("is not placed where a part of its first line reads the same", async () => {
    const at = stage("a _ { b c { d");
    await at.shown(1, 4);
    at.write("a _ X b c _ { d");
    await at.shown(5, 5);
    await at.shown(7, 7);
    expect(await at.answer(patch(["@@", " ", "-{", "+("]))).toBe("stale");
  });

  it("where it stands as it was seen, it is let through", async () => {
    const at = stage("a } _ b c } d");
    await at.shown(1, 7);
    at.write("a } _ b c } d e");
    expect(await at.answer(patch(["@@", "-}", "+)", " "]))).toBe("allowed");
  });
});

describe("text that was seen in two places, of which one is gone unseen", () => {
  it.each([
    ["changed", "a X c d e f b h", 6],
    ["taken out", "a c d e f b h", 5],
  ])("%s: to look at the other again does not tell which one is meant", async (_, now, first) => {
    const at = stage("a b c d e f b h");
    await at.shown(1, 8);
    at.write(now);
    await at.shown(first, first + 2);
    expect(await at.answer(quote("b", "B"))).toBe("ambiguous");
    expect(await at.answer(quote("f\nb", "f\nB"))).toBe("allowed");
  });

  it("seen one after the other, while both stood: the same", async () => {
    const at = stage("a b c d e f b h");
    await at.shown(1, 3);
    await at.shown(6, 8);
    at.write("a X c d e f b h");
    await at.shown(5, 5);
    expect(await at.answer(quote("b", "B"))).toBe("ambiguous");
  });

  it("the other was looked at only when the one was gone: that one is meant", async () => {
    const at = stage("a b c d e f b h");
    await at.shown(1, 3);
    at.write("a X c d e f b h");
    await at.shown(6, 8);
    expect(await at.answer(quote("b", "B"))).toBe("allowed");
  });

  it("one of several equal lines is left, and was read again: which one it is cannot be told", async () => {
    const at = stage("} x x } xx }");
    await at.shown(1, 6);
    at.write("} x }");
    await at.shown(2, 2);
    expect(await at.answer(quote("x", "n"))).toBe("ambiguous");
    await at.shown(1, 3);
    expect(await at.answer(quote("x", "n"))).toBe("allowed");
  });

  it("fewer lines stand in the place of some: to look at those alone does not tell that the others went", async () => {
    const at = stage("a b c x e f x h");
    await at.shown(1, 8);
    at.write("a N e f x h");
    await at.shown(2, 2);
    expect(await at.answer(quote("x", "X"))).toBe("ambiguous");
    await at.shown(2, 3);
    expect(await at.answer(quote("x", "X"))).toBe("allowed");
  });

  it("a last line without a newline is one of them", async () => {
    const at = stage("a");
    at.files.set(path, "}\nc\n\nc");
    await at.shown(1, 4);
    at.files.set(path, "c\n}\nc\n\n");
    expect(await at.answer(quote("c\n", "n\n"))).toBe("ambiguous");
  });

  it("the refusal shows what stands there instead, and another call may count on that", async () => {
    const at = stage("a b c d e f b h");
    await at.shown(1, 8);
    at.write("a c d e f b h");
    await at.shown(5, 7);
    const found = await at.session.consider(quote("b", "B"));
    const text = found.kind === "refused" ? found.result.text : "";
    for (const line of [1, 2, 6]) expect(text).toMatch(new RegExp(`^ *(>>> )?${line}#`, "m"));
    expect(await at.answer(quote("b", "B"))).toBe("ambiguous");
    expect(await at.answer(quote("b", "C"))).toBe("allowed");
  });

  it("that something was taken out is not forgotten when the line above it goes too", async () => {
    const at = stage("a b c d e f b h");
    await at.shown(2, 8);
    at.write("a c d e f b h");
    await at.shown(4, 4);
    at.write("c d e f b h");
    await at.shown(3, 3);
    expect(await at.answer(quote("b", "B"))).toBe("ambiguous");
    await at.shown(1, 2);
    expect(await at.answer(quote("b", "B"))).toBe("allowed");
  });
});

describe("text that the agent took out itself", () => {
  it("is not looked for where it was never seen: the same call, sent twice, edits one place", async () => {
    const at = stage("a } b c d } e");
    await at.shown(1, 3);
    const change = patch(["@@", "-}", "+n"]);
    expect(await at.answer(change)).toBe("allowed");
    at.write("a n b c d } e");
    await at.session.observeWrite(path, change);
    expect(await at.answer(change)).toBe("stale");
    expect(await at.answer(quote("}", "n"))).toBe("stale");
    await at.shown(5, 7);
    expect(await at.answer(change)).toBe("allowed");
  });

  it("a last line without a newline was seen like any other", async () => {
    const at = stage("a");
    at.files.set(path, "a\nx\nb\n}");
    await at.shown(2, 4);
    at.files.set(path, "}\na\nx\nb");
    expect(await at.answer(quote("}\n", "n\n"))).toBe("stale");
  });

  it("a text the tool alone does not find is not looked for where it was never seen", async () => {
    const at = stage("a");
    at.files.set(path, "}\nd\n}\nd");
    await at.shown(4, 4);
    expect(await at.answer(quote("d\n", "n\n"))).toBe("ambiguous");
  });

  it("is not looked for where it was never seen, if the agent itself wrote it", async () => {
    const at = stage("a b c d new e");
    await at.shown(1, 3);
    at.write("a new c d new e");
    await at.session.observeWrite(path, quote("b", "new"));
    at.write("a b c d new e");
    await at.session.observeWrite(path, quote("new\nc", "b\nc"));
    expect(await at.answer(quote("new", "n"))).toBe("stale");
  });
});

describe("places that overlap", () => {
  it("some tools count one of them, and take the first: which one is meant cannot be told", async () => {
    const at = stage("a x x x b");
    await at.shown(1, 5);
    expect(await at.answer(quote("x\nx", "y\nx"))).toBe("ambiguous");
    expect(await at.answer(quote("x\nx", "x"))).toBe("allowed");
    expect(await at.answer(quote("a\nx\nx", "a\ny\nx"))).toBe("allowed");
    expect(await at.answer(quote("x\nx", "y\nx", true))).toBe("allowed");
  });

  it("places apart from each other every tool counts by itself", async () => {
    const at = stage("a x x b x x");
    await at.shown(1, 6);
    expect(await at.answer(quote("x\nx", "y\nx"))).toBe("allowed");
  });

  it("the refusal says where", async () => {
    const at = stage("a x x x b");
    await at.shown(1, 5);
    const found = await at.session.consider(quote("x\nx", "y\nx"));
    expect(found.kind === "refused" && found.result.text).toMatch(
      /several places \(lines 2, 3\).*quote more/s,
    );
  });

  it("the refusal names the one line that they are in", async () => {
    const at = stage("a xxx b");
    await at.shown(1, 3);
    const found = await at.session.consider(quote("xx", "y"));
    expect(found.kind === "refused" && found.result.text).toContain("several places (line 2)");
  });
});

describe("a quote with its newline, replaced by text without one", () => {
  it("takes in the line below, which has to have been seen", async () => {
    const at = stage("a b c d");
    await at.shown(1, 2);
    expect(await at.answer(quote("b\n", "B"))).toBe("not_shown");
    expect(await at.answer(quote("b\n", "B\n"))).toBe("allowed");
    expect(await at.answer(quote("b\n", ""))).toBe("allowed");
    await at.shown(3, 3);
    expect(await at.answer(quote("b\n", "B"))).toBe("allowed");
  });

  it("somebody put a line there", async () => {
    const at = stage("a b c d");
    await at.shown(1, 3);
    at.write("a b NEW c d");
    expect(await at.answer(quote("b\n", "B"))).not.toBe("allowed");
    await at.shown(2, 2);
    expect(await at.answer(quote("b\n", "B"))).not.toBe("allowed");
    await at.shown(3, 4);
    expect(await at.answer(quote("b\n", "B"))).toBe("allowed");
  });

  it("a part of a line", async () => {
    const at = stage("a bb c d");
    await at.shown(1, 2);
    expect(await at.answer(quote("b\n", ""))).not.toBe("allowed");
    expect(await at.answer(quote("bb\n", ""))).toBe("allowed");
  });

  it("at the end of the file nothing is below", async () => {
    const at = stage("a b");
    await at.shown(1, 2);
    expect(await at.answer(quote("b\n", "B"))).toBe("allowed");
    at.write("a b NEW");
    expect(await at.answer(quote("b\n", "B"))).not.toBe("allowed");
  });
});

describe("on a text that has changed", () => {
  it("half of an edit is not carried, where the other half looks done", async () => {
    const at = stage("} } } } _ } }");
    await at.shown(1, 7);
    at.write("} } } _ } }");
    expect(await at.answer(quote("}\n\n}", ""))).toBe("stale");
  });

  it("a hunk whose lines stand nowhere is not left to a tool that takes what is like them", async () => {
    const at = stage("a");
    at.files.set(path, "}\nx\nd\n}\n  x\nd\n");
    await at.shown(1, 6);
    at.files.set(path, "x\n}\nd\n}\n  x\nd\n");
    await at.shown(1, 1);
    expect(await at.answer(patch(["@@", "-x", "-d", "+n"]))).not.toBe("allowed");
  });

  it.each([
    ["a patch", patch(["@@", "-x", "+n"])],
    ["a quote", quote("x \n  b", "n")],
  ])("%s without a match is not left to the tool where its like was never shown", async (_, change) => {
    const at = stage("a");
    at.files.set(path, "  x\nb\nx\n");
    await at.shown(3, 3);
    at.files.set(path, "  x\nb\n}\n}\n");
    await at.shown(3, 4);
    expect(await at.answer(change)).toBe("not_shown");
    await at.shown(1, 4);
    expect(await at.answer(change)).toBe("allowed");
  });

  it.each([
    ["as it is", "a\nb\nc\nx\nd\n"],
    ["but for blanks", "a\nb\nc\n  x\nd\n"],
  ])(
    "a hunk without its last, blank line is not left to the tool where the rest matches %s in lines that were never shown",
    async (_, text) => {
      const at = stage("a");
      at.files.set(path, text);
      await at.shown(1, 2);
      const change = patch(["@@", "-x", "+n", " "]);
      expect(await at.answer(change)).toBe("not_shown");
      await at.shown(4, 4);
      expect(await at.answer(change)).toBe("allowed");
    },
  );

  it("known lines that others made neighbours were not seen together", async () => {
    const at = stage("a");
    at.files.set(path, "}\n}\n}\n  x\n}\nx\na\n\n");
    await at.shown(3, 7);
    at.files.set(path, "}\n}\n}\n  x\na\n\n}\nx\n");
    expect(await at.answer(quote("x\na", "n"))).toBe("stale");
  });

  it("what stood in several places, and stands in none as it is quoted, is not left to the tool", async () => {
    const at = stage("a");
    at.files.set(path, "  x\n  x\n");
    await at.shown(1, 2);
    at.files.set(path, "x\n");
    expect(await at.answer(quote("  x", "n"))).toBe("ambiguous");
  });

  it("where the agent's own patch was put is known to the line", async () => {
    const at = stage("} } d } d } }");
    await at.shown(2, 4);
    const change = patch(["@@", "-d", "-}"]);
    at.write("} } d } }");
    await at.session.observeWrite(path, change);
    expect(await at.answer(quote("d", "n"))).toBe("stale");
  });

  it("a line that was indented anew is told as changed", async () => {
    const at = stage("a");
    at.files.set(path, "a\n    x\nb\n");
    await at.shown(1, 3);
    at.files.set(path, "a\n  x\nb\n");
    expect(await at.answer(quote("    x", "    n"))).toBe("stale");
  });

  it("what came back since it was seen to be gone was not seen there", async () => {
    const at = stage("a");
    at.files.set(path, "}\n  x\n");
    await at.shown(1, 2);
    at.files.set(path, "y\n}\n");
    await at.shown(1, 2);
    at.files.set(path, "  x\n");
    expect(await at.answer(quote("x\n", "n\n"))).toBe("stale");
  });

  it("a quote for nothing takes its newline along, if the tool does that", async () => {
    const at = stage("a b c d");
    await at.shown(1, 2);
    const taking = (old: string) => {
      const change = { kind: "quotes" as const, quotes: [{ old, new: "", all: false, takesNewline: true }] };
      return { path, tool: "Edit", single: true, change };
    };
    expect(await at.answer(taking("\nb"))).toBe("not_shown");
    expect(await at.answer(quote("\nb", ""))).toBe("allowed");
    expect(await at.answer(taking("b"))).toBe("allowed");
    await at.shown(3, 3);
    expect(await at.answer(taking("\nb"))).toBe("allowed");
  });
});
