import type { components } from '../../../../generated/openapi.js';
import { Bars } from '../../plots/bars.js';
import { count, percent } from '../../ui/format.js';

type Drift = components['schemas']['RecordDrift'];

/** The columns whose values moved since the training, or since the earliest promises. */
export function MovedColumns({ drift }: { drift: Drift }) {
  if (drift === null) {
    return <p>There are too few rows to compare: it takes 100 of each time.</p>;
  }
  const others = drift.since === 'training' ? 'those of the training' : 'the earliest promises';
  if (drift.columns.length === 0) {
    return (
      <p>
        The {count(drift.rows, 'latest row')} are like {others}: chance explains the difference.
      </p>
    );
  }
  return (
    <>
      <p>
        Of the {count(drift.rows, 'latest row')}, at least {percent(drift.moved)} are unlike{' '}
        {others}. The columns that moved, by the share of the change that each explains:
      </p>
      <Bars
        rows={drift.columns.map(({ column, share }) => ({
          name: column,
          share,
          text: percent(share),
        }))}
      />
    </>
  );
}
