import type { components } from '../../../../generated/openapi.js';
import { Bars } from '../../plots/bars.js';
import { count, percent } from '../../ui/format.js';

type Drift = components['schemas']['RecordDrift'];

/** The columns whose values moved between the earliest and the latest promises. */
export function MovedColumns({ drift }: { drift: Drift }) {
  if (drift === null) {
    return <p>There are fewer than 200 promises: too few to compare.</p>;
  }
  if (drift.columns.length === 0) {
    return (
      <p>
        The {count(drift.rows, 'latest row')} are like the earliest ones: chance explains the
        difference.
      </p>
    );
  }
  return (
    <>
      <p>
        A model tells the {count(drift.rows, 'latest row')} from as many of the earliest, better
        than chance by {percent(drift.separation)} of what is possible. The columns that moved, by
        the share of the change that each explains:
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
