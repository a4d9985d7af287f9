import type { Model } from 'roster-client';
import { count } from '../ui/format.js';
import type { AddedColumn } from './added-columns.js';
import { ColumnNames, UnknownColumns } from './column-names.js';
import type { Comparison } from './compare-columns.js';
import { MissingColumns } from './missing-columns.js';

/** Shows how the columns of a file fit a model, and what will be added to the file. */
export function ColumnComparison({
  model,
  comparison,
  added,
}: {
  model: Model;
  comparison: Comparison;
  added: readonly AddedColumn[];
}) {
  const { used, unknown, missing, targetIndex } = comparison;
  const needed = used.length + missing.length;
  if (used.length === 0) {
    return (
      <p class="notice error" role="alert">
        <strong>This file has none of the model’s columns.</strong> It needs{' '}
        <ColumnNames names={missing} />.
      </p>
    );
  }
  return (
    <>
      <MissingColumns target={model.target} comparison={comparison} />
      <dl class="fit">
        <dt>Used</dt>
        <dd>
          {missing.length === 0
            ? `All ${count(needed, 'column')} of the model`
            : `${used.length} of the ${count(needed, 'column')} of the model`}
        </dd>
        {unknown.length > 0 && (
          <>
            <dt>Unknown to the model</dt>
            <dd>
              <UnknownColumns columns={unknown} />
            </dd>
          </>
        )}
        <dt>Added to the file</dt>
        <dd>
          <ColumnNames names={added.map(({ name }) => name)} />
          {targetIndex !== undefined && (
            <>
              . The file’s own <code>{model.target}</code> stays, and is compared with the
              predictions
            </>
          )}
          .
        </dd>
      </dl>
    </>
  );
}
