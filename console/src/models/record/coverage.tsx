import type { components } from '../../../../generated/openapi.js';
import { BottomAxis, LeftAxis } from '../../plots/axes.js';
import { Band } from '../../plots/band.js';
import { Dots } from '../../plots/bars.js';
import { Captioned, Figure } from '../../plots/figure.js';
import { dateScale, linearScale } from '../../plots/scale.js';
import { count, date, finePercent, percent, whole } from '../../ui/format.js';

/** The outcome of the promises of a version. */
export type ModelRecord = components['schemas']['ModelRecord'];

/** A group of promises of which some true values have come. */
interface KnownGroup {
  readonly name: string;
  readonly truths: number;
  readonly kept: number;
  readonly coverage: number;
  readonly band: readonly [number, number];
  readonly promised: number;
}

/** The share of promises that were kept, over time, with its margin of error, and the promise as a line. */
export function CoverageOverTime({ record }: { record: ModelRecord }) {
  const groups = knownGroups(record);
  const points = groups.map((group) => ({ ...group, at: Date.parse(group.name) }));
  const low = Math.min(...points.map(({ band, promised }) => Math.min(band[0], promised)));
  const bottom = Math.max(0, Math.floor(low * 10) / 10);
  return (
    <Figure
      title="Coverage over time"
      description="The share of predictions whose true value was as promised, by when they were made. It should be near the dashed line; the band is its margin of error."
      table={{ head: ['From', ...HEAD], rows: groups.map((group) => [date(Date.parse(group.name)), ...cells(group)]) }}
    >
      {(area) => {
        const times = points.map(({ at }) => at);
        const ends = [Math.min(...times), Math.max(...times)] as const;
        const x = dateScale(ends, [area.left + 12, area.right - 12], (area.right - area.left) / 120);
        const y = linearScale([bottom, 1], [area.bottom, area.top], 4);
        return (
          <>
            <LeftAxis scale={y} area={area} label="Coverage" format={percent} />
            <BottomAxis scale={x} area={area} label="Prediction made on" format={date} />
            <Band
              points={points.map(({ at, coverage, band }) => ({
                x: x(at),
                y: y(coverage),
                low: y(band[0]),
                high: y(band[1]),
              }))}
            />
            <polyline
              class="reference"
              fill="none"
              points={points.map(({ at, promised }) => `${x(at)},${y(promised)}`).join(' ')}
            />
            {points.map(({ at, coverage, band: [low, high], truths }) => (
              <circle
                key={at}
                class="mark"
                cx={x(at)}
                cy={y(coverage)}
                r="3"
                data-values={`${date(at)}: ${finePercent(coverage)} (${finePercent(low)} to ${finePercent(high)}) of ${count(truths, 'true value')}`}
              />
            ))}
          </>
        );
      }}
    </Figure>
  );
}

/** The share of promises that were kept in each group, beside the promise. */
export function CoverageOfGroups({ record, nameOf }: { record: ModelRecord; nameOf: (group: string) => string }) {
  const groups = knownGroups(record);
  return (
    <Captioned
      title="Coverage by group"
      description="The share of predictions whose true value was as promised. The dashed line is the promise; the line through a point is its margin of error."
      table={{ head: ['Group', ...HEAD], rows: groups.map((each) => [nameOf(each.name), ...cells(each)]) }}
    >
      <Dots
        {...(record.promised !== null && { reference: record.promised })}
        ticks={[0, 0.5, 1].map((at) => ({ at, text: percent(at) }))}
        rows={groups.map(({ name, coverage, band, truths }) => ({
          name: nameOf(name),
          at: coverage,
          low: band[0],
          high: band[1],
          text: `${percent(coverage)} of ${whole(truths)}`,
        }))}
      />
    </Captioned>
  );
}

const HEAD = ['True values', 'Kept', 'Coverage', 'Margin of error (95 %)', 'Promised'];

function cells({ truths, kept, coverage, band, promised }: KnownGroup): string[] {
  const [low, high] = band;
  return [
    whole(truths),
    whole(kept),
    finePercent(coverage),
    `${finePercent(low)} to ${finePercent(high)}`,
    finePercent(promised),
  ];
}

function knownGroups({ groups }: ModelRecord): KnownGroup[] {
  return groups.flatMap(({ group, truths, kept, coverage, coverage_band, promised }) => {
    const [low, high] = coverage_band ?? [];
    if (coverage === null || promised === null || low === undefined || high === undefined) return [];
    return [{ name: group, truths, kept, coverage, band: [low, high] as const, promised }];
  });
}
