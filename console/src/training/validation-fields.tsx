import { SelectField } from '../ui/select.js';
import { choose, type Settings, valuesOf } from './settings.js';

/** The choice of the rows that measure a model without being learnt from. */
export function ValidationFields({
  columns,
  settings,
  onSettings,
}: {
  columns: readonly string[];
  settings: Settings;
  onSettings: (change: (settings: Settings) => Settings) => void;
}) {
  const [method = ''] = valuesOf(settings, 'validate');
  const [column = ''] = valuesOf(settings, 'validate_by');
  return (
    <>
      <SelectField
        label="Measure the model on"
        value={method}
        options={[
          ['', 'Random rows'],
          ['last', 'The last rows'],
          ['group', 'Whole groups of rows'],
        ]}
        onChoose={(value) => onSettings(choose('validate', value))}
      />
      {method !== '' && (
        <SelectField
          label="By the column"
          value={column}
          options={[['', '(none)'], ...columns.filter(Boolean)]}
          onChoose={(value) => onSettings(choose('validate_by', value))}
        />
      )}
    </>
  );
}
