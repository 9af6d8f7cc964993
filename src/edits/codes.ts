/** Every way a call can be refused: its exit status, what it means, what to do next. `docs/errors.md` is made from this. */
export const codes = {
  bad_request: {
    exit: 2,
    meaning: "The request has a wrong shape.",
    next: "Correct the field that is named and send it again.",
  },
  bad_anchor: {
    exit: 2,
    meaning: "An anchor cannot be read.",
    next: "Copy the anchor exactly as it was shown.",
  },
  overlap: {
    exit: 2,
    meaning: "Two edits of one call name the same line.",
    next: "Join the two edits that are named into one.",
  },
  not_read: {
    exit: 4,
    meaning: "The file was never shown to this agent.",
    next: "Read it, then send the edit.",
  },
  not_shown: {
    exit: 4,
    meaning: "The edit names lines that were never shown to this agent.",
    next: "Read those lines, then send the edit.",
  },
  noop_repeat: {
    exit: 4,
    meaning: "The same call changed nothing for the third time.",
    next: "Read the file: what the call asks for may already be there.",
  },
  outside_roots: {
    exit: 4,
    meaning: "The path is outside the workspace roots.",
    next: "Use a path inside a root, or start with a wider root.",
  },
  denied: {
    exit: 4,
    meaning: "The path matches a deny pattern.",
    next: "Leave the file alone, or change the pattern in the configuration.",
  },
  stale: {
    exit: 5,
    meaning: "Lines the edit touches have changed since they were shown.",
    next: "Look at the rows in the refusal, then use their anchors or the retry handle.",
  },
  ambiguous: {
    exit: 5,
    meaning: "An anchor or a quoted text could mean several places.",
    next: "Send the handle of the place that is meant, or quote more.",
  },
  deleted: {
    exit: 5,
    meaning: "Lines the edit touches are gone.",
    next: "Look at the rows in the refusal and decide again.",
  },
  wrong_hash: {
    exit: 5,
    meaning: "An anchor contradicts the line that was shown.",
    next: "Copy the anchor exactly as it was shown.",
  },
  not_found: {
    exit: 1,
    meaning: "The file, or the quoted text, does not exist.",
    next: "Check the path or the text.",
  },
  binary: {
    exit: 1,
    meaning: "The file is not text, or would no longer be.",
    next: "Use another tool for binary files.",
  },
  too_large: {
    exit: 1,
    meaning: "The file is over the size limit.",
    next: "Raise the limit in the configuration, or use another tool.",
  },
  unencodable: {
    exit: 1,
    meaning: "The file's encoding cannot hold a character of the new text.",
    next: "Use other characters, set encoding if that one was guessed wrong, or convert the file first.",
  },
  exists: {
    exit: 1,
    meaning: "A file of that name is already there.",
    next: "Edit it, or choose another name.",
  },
  io: {
    exit: 1,
    meaning: "Reading or writing failed.",
    next: "Remove the cause that is named, then send the call again.",
  },
  busy: {
    exit: 6,
    meaning: "Another process holds the file, or keeps changing it.",
    next: "Wait a moment and send the call again.",
  },
} as const satisfies Record<string, { exit: number; meaning: string; next: string }>;

export type Code = keyof typeof codes;

/** With problems of several kinds, usage comes first, then the gate, then staleness, then the rest. */
const precedence = [2, 4, 5, 1, 6];

export function exitStatus(code: Code): number {
  return codes[code].exit;
}

export function decidingCode(found: readonly Code[]): Code {
  const rank = (code: Code): number => precedence.indexOf(exitStatus(code));
  return found.reduce((first, code) => (rank(code) < rank(first) ? code : first));
}
