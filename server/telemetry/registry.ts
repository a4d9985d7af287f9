/** The media type of Prometheus's text format. */
export const TEXT_FORMAT = 'text/plain; version=0.0.4; charset=utf-8';

/** A metric with its name, and how a scrape shows it. */
interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly name: string;
  readonly help: string;
  /** Lines such as `name{label="value"} 1`. */
  samples(): Iterable<string>;
}

/** The value of a metric under its labels. */
export class Series {
  value = 0;

  add(by = 1): void {
    this.value += by;
  }
}

/** A counter or a gauge: one series for each combination of label values that was used. */
export class Values implements Metric {
  readonly #series = new Map<string, Series>();

  constructor(
    readonly type: 'counter' | 'gauge',
    readonly name: string,
    readonly help: string,
    private readonly labelNames: readonly string[],
  ) {}

  /** The series under these label values, in the order of the names; it begins with 0. */
  of(...labelValues: string[]): Series {
    const labels = labelsOf(this.labelNames, labelValues);
    let series = this.#series.get(labels);
    if (!series) {
      series = new Series();
      this.#series.set(labels, series);
    }
    return series;
  }

  *samples(): Iterable<string> {
    for (const [labels, { value }] of this.#series) yield sample(this.name, labels, value);
  }
}

/** Durations or sizes under the same labels, counted by buckets. */
export class Distribution {
  /** How many were at most the bound of their bucket, but more than that of the one before. */
  readonly counts: number[];
  sum = 0;

  /** @param bounds of the buckets, ascending; larger values belong to a last one without a bound */
  constructor(private readonly bounds: readonly number[]) {
    this.counts = new Array(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    let bucket = 0;
    while (bucket < this.bounds.length && value > (this.bounds[bucket] ?? 0)) bucket++;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum += value;
  }
}

/** A histogram with cumulative buckets, under one label. */
export class Histogram implements Metric {
  readonly type = 'histogram';
  readonly #series = new Map<string, Distribution>();

  constructor(
    readonly name: string,
    readonly help: string,
    private readonly labelName: string,
    private readonly bounds: readonly number[],
  ) {}

  /** The distribution under a label's value. */
  of(labelValue: string): Distribution {
    let series = this.#series.get(labelValue);
    if (!series) {
      series = new Distribution(this.bounds);
      this.#series.set(labelValue, series);
    }
    return series;
  }

  *samples(): Iterable<string> {
    for (const [value, { counts, sum }] of this.#series) {
      const names = ['le', this.labelName];
      let count = 0;
      for (const [bucket, inBucket] of counts.entries()) {
        count += inBucket;
        const bound = String(this.bounds[bucket] ?? '+Inf');
        yield sample(`${this.name}_bucket`, labelsOf(names, [bound, value]), count);
      }
      const labels = labelsOf([this.labelName], [value]);
      yield sample(`${this.name}_sum`, labels, sum);
      yield sample(`${this.name}_count`, labels, count);
    }
  }
}

/** A number that is asked for at each scrape, with the values of its labels. */
export type Reading = readonly [value: number, ...labelValues: string[]];

/** Metrics in the order in which a scrape shows them. */
export class Registry {
  readonly #metrics: Metric[] = [];

  /** A counter; without labels it is 0 from the beginning. */
  counter(name: string, help: string, labelNames: readonly string[] = []): Values {
    const counter = new Values('counter', name, help, labelNames);
    if (labelNames.length === 0) counter.of();
    return this.#add(counter);
  }

  histogram(name: string, help: string, labelName: string, bounds: readonly number[]): Histogram {
    return this.#add(new Histogram(name, help, labelName, bounds));
  }

  /**
   * Adds what is read at each scrape.
   * @param read gives no reading where there is nothing to tell
   */
  read(
    type: 'counter' | 'gauge',
    name: string,
    help: string,
    read: () => Iterable<Reading>,
    labelNames: readonly string[] = [],
  ): void {
    function* samples() {
      for (const [value, ...labelValues] of read()) {
        yield sample(name, labelsOf(labelNames, labelValues), value);
      }
    }
    this.#add({ type, name, help, samples });
  }

  /** All metrics in the text format. One without a series shows its head alone. */
  text(): string {
    const blocks = this.#metrics.map((metric) => {
      const head = `# HELP ${metric.name} ${metric.help}\n# TYPE ${metric.name} ${metric.type}\n`;
      return head + [...metric.samples()].join('');
    });
    return blocks.join('\n');
  }

  #add<M extends Metric>(metric: M): M {
    this.#metrics.push(metric);
    return metric;
  }
}

function sample(name: string, labels: string, value: number): string {
  return `${name}${labels} ${value}\n`;
}

function labelsOf(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return '';
  return `{${names.map((name, index) => `${name}="${escaped(values[index] ?? '')}"`).join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}
