/** The page of a tree in which no agent has worked yet: what to do next, and what there will be to see. */
import { CopyButton } from "../parts.js";

export function Welcome() {
  return (
    <main class="welcome">
      <section class="panel empty" aria-labelledby="welcome-title">
        <h2 id="welcome-title">No agent has worked here yet.</h2>
        <p>
          This page shows who works on which lines, whose view of a file is behind, and what is lost, with a
          button that brings it back.
        </p>
        <ol>
          <li>
            <Command text="kedge install" /> puts the guard in front of the agents you have.
          </li>
          <li>Start an agent in this folder. It shows up here with its first read.</li>
          <li>
            To look around first: <Command text="kedge demo --ui" /> plays a minute of three agents.
          </li>
        </ol>
        <Example />
      </section>
    </main>
  );
}

function Command({ text }: { text: string }) {
  return (
    <span class="command">
      <code>{text}</code>
      <CopyButton command={text} label="copy" />
    </span>
  );
}

const example: readonly (readonly [string, number, readonly (readonly [string, number, number])[]])[] = [
  [
    "claude-code:7f3a",
    250,
    [
      ["shown", 0, 1000],
      ["wrote", 430, 130],
    ],
  ],
  [
    "codex:0199",
    150,
    [
      ["shown", 0, 700],
      ["stale", 430, 130],
    ],
  ],
];

function Example() {
  return (
    <figure>
      <div class="lanes">
        <ol class="lane-names" aria-hidden="true">
          {example.map(([name]) => (
            <li key={name}>{name}</li>
          ))}
        </ol>
        <svg
          class="strip"
          viewBox="0 0 1000 18"
          height={26}
          preserveAspectRatio="none"
          role="img"
          aria-label="the lanes of two agents"
        >
          {example.map(([name, hue, bars], at) => (
            <g key={name} style={{ "--hue": `${hue}` }}>
              <rect class="ground" x={0} width={1000} y={at * 9 + 1} height={7} />
              {bars.map(([kind, x, width]) => (
                <rect key={kind} class={kind} x={x} width={width} y={at * 9 + 1} height={7} />
              ))}
            </g>
          ))}
        </svg>
      </div>
      <figcaption>
        An example: a file from its first line to its last. Claude Code wrote the dark lines. Codex was shown
        the orange ones before, and does not know yet: that is the collision that has not happened.
      </figcaption>
    </figure>
  );
}
