/** The agents panel: who is here, what each does, and how far its view is behind. */

import { visible } from "../../../text/index.js";
import type { AgentGroup, ViewAgent, ViewState } from "../../contract.js";
import { ago, counted, lineCount, rangeText, shortPath } from "../../words.js";
import { useSteadyRows } from "../parts.js";

const groups: readonly (readonly [AgentGroup, string])[] = [
  ["needs", "Needs you"],
  ["working", "Working"],
  ["quiet", "Quiet"],
];

const longestList = 80;

interface Props {
  readonly state: ViewState;
  readonly now: number;
  readonly chosen: string | null;
  readonly isPast: boolean;
  choose(agent: string | null): void;
}

export function Agents({ state, now, chosen, choose, isPast }: Props) {
  const { shown, hold } = useSteadyRows(state.agents, ({ id, group }) => `${group} ${id}`, `${isPast}`);
  return (
    <section class="panel agents" aria-labelledby="agents-title" tabIndex={0} {...hold}>
      <h2 id="agents-title">
        Agents <small>{state.agents.length}</small>
      </h2>
      {state.agents.length === 0 ? (
        <p class="empty">
          {isPast ? "No agent had worked here by then." : "No agent has worked here for a day."}
        </p>
      ) : null}
      {groups.map(([group, title]) => {
        const members = shown.filter((agent) => agent.group === group).slice(0, longestList);
        if (members.length === 0) return null;
        return (
          <div key={group} class={`group ${group}`}>
            <h3>{title}</h3>
            <ul>
              {members.map((agent) => (
                <li key={agent.id}>
                  <AgentCard
                    {...{ agent, state, now }}
                    isChosen={chosen === agent.id}
                    choose={() => choose(chosen === agent.id ? null : agent.id)}
                  />
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </section>
  );
}

function AgentCard(props: {
  agent: ViewAgent;
  state: ViewState;
  now: number;
  isChosen: boolean;
  choose: () => void;
}) {
  const { agent, state, now, isChosen, choose } = props;
  const views = state.stale.filter((one) => one.agent === agent.id);
  const lost = state.lost.filter((one) => one.agent === agent.id).length;
  const refusal = agent.group === "needs" && agent.now?.code ? `last call refused (${agent.now.code})` : null;
  const [worst] = [...views].sort((one, two) => weight(two) - weight(one));
  return (
    <button
      type="button"
      class="card"
      aria-pressed={isChosen}
      style={{ "--hue": `${agent.hue}` }}
      onClick={choose}
      data-agent={agent.id}
    >
      <span class="card-head">
        <b>{visible(agent.name)}</b>
        <time>{ago(agent.seen, now)}</time>
      </span>
      {lost > 0 ? <span class="bad">{counted(lost, "edit")} lost</span> : null}
      {lost === 0 && refusal ? <span class="bad">{refusal}</span> : null}
      {agent.words ? <span class="words">“{visible(agent.words)}”</span> : null}
      <span class="step">{stepText(agent)}</span>
      {worst ? (
        <span class="behind">
          {counted(agent.behind, "line")} behind in {shortPath(visible(worst.path), 28)}
          {views.length > 1 ? ` and ${counted(views.length - 1, "more file")}` : ""}
        </span>
      ) : null}
      <span class="figures">
        {counted(agent.edits, "edit")}
        {agent.refusals > 0 ? ` · ${agent.refusals} refused` : ""}
      </span>
    </button>
  );
}

const weight = ({ lines, removed }: ViewState["stale"][number]): number => lineCount(lines) + removed;

function stepText({ now }: ViewAgent): string {
  if (!now) return "has looked at files";
  if (now.command !== null) return `$ ${visible(now.command).slice(0, 80)}`;
  const lines = now.lines.length > 0 ? `:${rangeText(now.lines)}` : "";
  return `${visible(now.tool)} ${shortPath(visible(now.path ?? ""), 30)}${lines}`;
}
