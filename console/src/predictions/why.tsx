import { useRef } from 'preact/hooks';
import type { Model } from 'roster-client';
import { Diverging } from '../plots/bars.js';
import { useLoaded } from '../session/use-loaded.js';
import { truncate } from '../tables/table-preview.js';
import { Dialog } from '../ui/dialog.js';
import { count, finePercent, within } from '../ui/format.js';
import { Loading } from '../ui/loading.js';
import { targetUnit } from '../ui/units.js';
import type { Contributions } from './contributions.js';

/** The most columns to draw; the others are one bar. */
const MAX_SHOWN = 8;

/** By how much the service's probabilities are rounded at most. */
const ROUNDING = 0.006;

/** The most columns to speak of. */
const MAX_SAID = 3;

/** Shows the contribution of each column to a prediction, as bars between the base and the prediction, and in words. */
export function Why({ model, contributions }: { model: Model; contributions: Contributions }) {
  const { base, columns, ofClass } = contributions;
  const sum = columns.reduce((total, { added }) => total + added, base);
  const scale = Math.max(Math.abs(sum - base), ...columns.map(({ added }) => Math.abs(added)));
  const unit = ofClass ? null : targetUnit(model);
  const [write, writeAdded] = [within(scale, unit), within(scale, unit, true)];
  const shown = columns.slice(0, MAX_SHOWN);
  const others = columns.slice(MAX_SHOWN);
  const rest = others.reduce((total, { added }) => total + added, 0);
  const rows = [
    ...shown.map(({ added, ...column }) => ({ name: nameOf(column), added })),
    ...(others.length > 0 ? [{ name: count(others.length, 'other column'), added: rest }] : []),
  ];
  return (
    <div class="why">
      <p class="hint">{ofClass ? describeClass(contributions, ofClass) : describeNumber(model, write, base)}</p>
      <Diverging
        rows={rows.map(({ name, added }) => ({
          name,
          share: scale === 0 ? 0 : added / scale,
          text: writeAdded(added),
        }))}
      />
      <dl class="why-ends">
        <div>
          <dt>{ofClass ? 'Base (log-odds)' : 'Base'}</dt>
          <dd>{write(base)}</dd>
        </div>
        <div>
          <dt>{ofClass ? 'With all columns (log-odds)' : 'With all columns'}</dt>
          <dd>{write(sum)}</dd>
        </div>
      </dl>
    </div>
  );
}

/** Why a row is predicted as it is, in a dialog. */
export function WhyDialog({
  title,
  note,
  model,
  load,
  onClose,
}: {
  title: string;
  /** A sentence above the contributions. */
  note?: string;
  model: Model;
  load: () => Promise<Contributions | undefined>;
  onClose: () => void;
}) {
  const { loaded, reload } = useLoaded(load, [title]);
  const close = useRef<HTMLButtonElement>(null);
  return (
    <Dialog title={title} focus={close} onClose={onClose}>
      {note && <p>{note}</p>}
      <Loading loaded={loaded} what="what each column added" retry={reload}>
        {(contributions) => contributions && <Why model={model} contributions={contributions} />}
      </Loading>
      <button type="button" ref={close} onClick={onClose}>
        Close
      </button>
    </Dialog>
  );
}

function nameOf({ name, value }: { name: string; value?: string }): string {
  return value === undefined ? name : `${name} = ${truncate(value) || '(no value)'}`;
}

function describeNumber({ target, task }: Model, write: (value: number) => string, base: number): string {
  const of = task === 'forecast' ? 'By the course of the series alone' : 'Without any values';
  return `${of}, ${target} would be ${write(base)}. The bars say how the model came to its answer, not what would happen if a value were changed.`;
}

/** Says in words how the columns moved the probability of a class. */
function describeClass(
  { base, columns }: Contributions,
  { name, before, after }: NonNullable<Contributions['ofClass']>,
): string {
  const said = columns.slice(0, MAX_SAID).filter(({ added }) => added !== 0);
  // With two classes, the log-odds give the probability after each column; with more, only that after all columns.
  const isExact = Math.abs(probability(base) - before) < ROUNDING;
  let reached = base;
  const steps = said.map(({ added, ...column }) => {
    const from = probability(reached);
    reached += added;
    const verb = added > 0 ? 'raises' : 'lowers';
    const change = isExact ? ` from ${finePercent(from)} to ${finePercent(probability(reached))}` : '';
    return `${nameOf(column)} ${verb} it${change}`;
  });
  const begin = `Without any values, the probability of “${name}” would be ${finePercent(before)}; of this one it is ${finePercent(after)}.`;
  return steps.length === 0 ? begin : `${begin} ${steps.join('; ')}.`;
}

const probability = (logOdds: number) => 1 / (1 + Math.exp(-logOdds));
