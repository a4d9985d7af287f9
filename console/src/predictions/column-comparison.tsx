import type { Model } from 'roster-client';
import { count, whole } from '../ui/format.js';
import type { AddedColumn } from './added-columns.js';
import type { Comparison } from './compare-columns.js';

const MAX_LISTED = 12;

/** Shows how the columns of a file fit a model, and what will be added to the file. */
export function ColumnComparison({
  model,
  comparison: { used, unknown, missing, targetIndex },
  added,
}: {
  model: Model;
  comparison: Comparison;
  added: readonly AddedColumn[];
}) {
  const needed = used.length + missing.length;
  if (used.length === 0) {
    return (
      <p class="notice error" role="alert">
        <strong>This file has none of the model’s columns.</strong> It needs{' '}
        <Names names={missing} />.
      </p>
    );
  }
  return (
    <dl class="fit">
      <dt>Used</dt>
      <dd>
        {missing.length === 0
          ? `All ${count(needed, 'column')} of the model`
          : `${used.length} of the ${count(needed, 'column')} of the model`}
      </dd>
      {missing.length > 0 && (
        <>
          <dt class="warn">Missing</dt>
          <dd>
            <Names names={missing} />. Predictions without {missing.length === 1 ? 'it' : 'them'}{' '}
            are less certain.
          </dd>
        </>
      )}
      {unknown.length > 0 && (
        <>
          <dt>Unknown to the model</dt>
          <dd>
            <ul class="plain">
              {unknown.slice(0, MAX_LISTED).map(({ name, nearest }) => (
                <li key={name}>
                  <code>{name || '(no name)'}</code>
                  {nearest !== null && (
                    <>
                      {' '}
                      – if this is <code>{nearest}</code>, rename it in the file.
                    </>
                  )}
                </li>
              ))}
              {unknown.length > MAX_LISTED && <li>and {unknown.length - MAX_LISTED} more</li>}
            </ul>
          </dd>
        </>
      )}
      <dt>Added to the file</dt>
      <dd>
        <Names names={added.map(({ name }) => name)} />
        {targetIndex !== undefined && (
          <>
            . The file’s own <code>{model.target}</code> stays, and is compared with the predictions
          </>
        )}
        .
      </dd>
    </dl>
  );
}

function Names({ names }: { names: readonly string[] }) {
  const listed = names.slice(0, MAX_LISTED);
  return (
    <>
      {listed.map((name, index) => (
        <>
          {index > 0 && ', '}
          <code key={name}>{name}</code>
        </>
      ))}
      {names.length > MAX_LISTED && ` and ${whole(names.length - MAX_LISTED)} more`}
    </>
  );
}
