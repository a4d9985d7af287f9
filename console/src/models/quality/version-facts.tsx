import type { Model } from 'roster-client';
import { duration, time, whole } from '../../ui/format.js';

/** Facts about the training of a version: its table, its time, its checksum. */
export function VersionFacts({ model }: { model: Model }) {
  const { version, row_count, columns, updated_at, training_seconds, checksum } = model;
  const facts: readonly (readonly [string, string | number])[] = [
    ['Version', version],
    ['Rows', whole(row_count)],
    ['Columns', columns?.length ?? 0],
    ['Trained', time(updated_at)],
    ['Training time', duration(training_seconds ?? 0)],
    ['Checksum', checksum ?? ''],
  ];
  return (
    <dl class="model-facts">
      {facts.map(([name, value]) => (
        <div key={name} class={name === 'Checksum' ? 'wide' : undefined}>
          <dt>{name}</dt>
          <dd>{name === 'Checksum' ? <code>{value}</code> : value}</dd>
        </div>
      ))}
    </dl>
  );
}
