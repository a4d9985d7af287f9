import { SelectField } from '../ui/select.js';
import { choose, type Settings, valuesOf } from './settings.js';

const BY_VALUES = ['', 'As the values show'] as const;

/** The choices about the texts of a table, for what its values do not show. */
export function ReadingFields({
  settings,
  onSettings,
}: {
  settings: Settings;
  onSettings: (change: (settings: Settings) => Settings) => void;
}) {
  const [decimal = ''] = valuesOf(settings, 'decimal');
  const [group = ''] = valuesOf(settings, 'group');
  const [order = ''] = valuesOf(settings, 'date_order');
  return (
    <>
      <SelectField
        label="Decimal mark"
        value={decimal}
        options={[BY_VALUES, ['.', 'Point: 1234.5'], [',', 'Comma: 1234,5']]}
        onChoose={(value) => onSettings(choose('decimal', value))}
      />
      <SelectField
        label="Thousands separator"
        error={group !== '' && group === decimal ? 'This is the decimal mark. Choose another one.' : undefined}
        value={group}
        options={[
          BY_VALUES,
          [',', 'Comma: 1,234'],
          ['.', 'Point: 1.234'],
          [' ', 'Space: 1 234'],
          ["'", "Apostrophe: 1'234"],
        ]}
        onChoose={(value) => onSettings(choose('group', value))}
      />
      <SelectField
        label="Dates such as 05/06/2025"
        value={order}
        options={[
          BY_VALUES,
          ['day-first', 'Day first: 5 June'],
          ['month-first', 'Month first: 6 May'],
          ['year-first', 'Year first, as in 25-06-05'],
        ]}
        onChoose={(value) => onSettings(choose('date_order', value))}
      />
    </>
  );
}
