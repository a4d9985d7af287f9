import { SelectField } from '../ui/select.js';
import { choose, type Effort, type Settings } from './settings.js';

/** The choice of the time that a training may take. */
export function EffortField({
  effort,
  onSettings,
}: {
  effort: Effort;
  onSettings: (change: (settings: Settings) => Settings) => void;
}) {
  return (
    <SelectField
      label="Effort"
      hint={HINTS[effort]}
      value={effort}
      options={[
        ['fast', 'Fast'],
        ['standard', 'Standard'],
        ['best', 'Best'],
      ]}
      onChoose={(value) => onSettings(choose('effort', value))}
    />
  );
}

const HINTS = {
  fast: 'Half the time, for somewhat larger errors.',
  standard: undefined,
  best: 'Up to ten times the time, for smaller errors.',
};
