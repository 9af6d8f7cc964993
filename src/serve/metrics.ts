/** Counters and histograms in the text format of Prometheus. No label names a path, a line or an agent. */

type Labels = Readonly<Record<string, string>>;

interface Series {
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
}

/** Seconds. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const series = {
  kedge_calls_total: { type: "counter", help: "Calls of tools, by tool and by how they ended." },
  kedge_refusals_total: { type: "counter", help: "Calls that were refused, by the code of the refusal." },
  kedge_call_seconds: { type: "histogram", help: "How long calls took, by tool." },
  kedge_lock_wait_seconds: {
    type: "histogram",
    help: "How long calls waited for the locks of their files, on this host and in the store.",
  },
  kedge_http_requests_total: { type: "counter", help: "Requests, by the status of their answer." },
  kedge_lost_edits_total: { type: "counter", help: "Edits found lost in this tree since this server began." },
  kedge_connections: { type: "gauge", help: "Connections that are open." },
  kedge_requests_under_way: { type: "gauge", help: "Requests that are being answered." },
  kedge_memory_bytes: { type: "gauge", help: "Memory of this process." },
  kedge_started_seconds: { type: "gauge", help: "When this process began, in seconds since 1970." },
  kedge_build_info: { type: "gauge", help: "The version of this server." },
} as const satisfies Readonly<Record<string, Series>>;

export type Name = keyof typeof series;

interface Histogram {
  readonly counts: number[];
  sum: number;
  count: number;
}

/** Counts everything that happened since the process began. */
export class Metrics {
  private readonly numbers = new Map<Name, Map<string, number>>();
  private readonly histograms = new Map<Name, Map<string, Histogram>>();
  private readonly watched: (() => Promise<void>)[] = [];

  constructor() {
    // One that has not happened yet is 0: so its first time is seen as a rise.
    for (const place of ["host", "store"]) this.histogram("kedge_lock_wait_seconds", { place });
    this.count("kedge_lost_edits_total", {}, 0);
  }

  count(name: Name, labels: Labels = {}, by = 1): void {
    const values = mapIn(this.numbers, name);
    const key = written(labels);
    values.set(key, (values.get(key) ?? 0) + by);
  }

  set(name: Name, value: number, labels: Labels = {}): void {
    mapIn(this.numbers, name).set(written(labels), value);
  }

  observe(name: Name, seconds: number, labels: Labels = {}): void {
    const histogram = this.histogram(name, labels);
    for (const [at, bound] of buckets.entries())
      if (seconds <= bound) histogram.counts[at] = (histogram.counts[at] ?? 0) + 1;
    histogram.sum += seconds;
    histogram.count += 1;
  }

  /** A value that is asked for whenever the metrics are. */
  watch(name: Name, value: () => Promise<number>): void {
    this.watched.push(async () => this.set(name, await value()));
  }

  async text(): Promise<string> {
    for (const update of this.watched) await update();

    const lines: string[] = [];
    for (const [name, { type, help }] of Object.entries(series) as [Name, Series][]) {
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
      for (const [labels, value] of this.numbers.get(name) ?? [])
        lines.push(`${name}${braced(labels)} ${value}`);
      for (const [labels, histogram] of this.histograms.get(name) ?? [])
        lines.push(...rows(name, labels, histogram));
    }
    return `${lines.join("\n")}\n`;
  }

  private histogram(name: Name, labels: Labels): Histogram {
    const all = mapIn(this.histograms, name);
    const key = written(labels);
    const found = all.get(key) ?? { counts: buckets.map(() => 0), sum: 0, count: 0 };
    all.set(key, found);
    return found;
  }
}

function mapIn<K, V>(maps: Map<K, Map<string, V>>, key: K): Map<string, V> {
  const found = maps.get(key) ?? new Map<string, V>();
  maps.set(key, found);
  return found;
}

function rows(name: Name, labels: string, { counts, sum, count }: Histogram): string[] {
  const more = labels === "" ? "" : `${labels},`;
  const upTo = buckets.map((bound, at) => `${name}_bucket{${more}le="${bound}"} ${counts[at]}`);
  return [
    ...upTo,
    `${name}_bucket{${more}le="+Inf"} ${count}`,
    `${name}_sum${braced(labels)} ${sum}`,
    `${name}_count${braced(labels)} ${count}`,
  ];
}

const braced = (labels: string): string => (labels === "" ? "" : `{${labels}}`);

function written(labels: Labels): string {
  const value = (text: string): string =>
    text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
  return Object.entries(labels)
    .map(([name, text]) => `${name}="${value(text)}"`)
    .join(",");
}
