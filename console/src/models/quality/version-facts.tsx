import type { Model } from 'roster-client';
import { duration, time, whole } from '../../ui/format.js';

/** Facts about the training of a version: its table, its time, its checksum, its query. */
export function VersionFacts({ model }: { model: Model }) {
  const { version, source, row_count, columns, updated_at, training_seconds, checksum } = model;
  const facts: readonly (readonly [string, string])[] = [
    ['Version', String(version)],
    ['Rows', whole(row_count)],
    ['Columns', whole(columns?.length ?? 0)],
    ['Trained', time(updated_at)],
    ['Training time', duration(training_seconds ?? 0)],
    ['Checksum', checksum ?? ''],
    ...(source
      ? ([
          ['Database', source.database],
          ['Query', source.query],
        ] as const)
      : []),
  ];
  return (
    <dl class="model-facts">
      {facts.map(([name, value]) => (
        <div key={name} class={isCode(name) ? 'wide' : undefined}>
          <dt>{name}</dt>
          <dd>{isCode(name) ? <code>{value}</code> : value}</dd>
        </div>
      ))}
    </dl>
  );
}

function isCode(name: string): boolean {
  return name === 'Checksum' || name === 'Query';
}
