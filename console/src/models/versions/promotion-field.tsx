import type { Model } from 'roster-client';
import { Field } from '../../ui/field.js';
import { Select } from '../../ui/select.js';

type Promotion = Model['promotion'];

const CHOICES: readonly (readonly [Promotion, string])[] = [
  ['always', 'It answers predictions at once'],
  ['if_not_worse', 'It answers predictions if it is no worse'],
  ['manual', 'It waits until you let it answer'],
];

/** The setting of a model that says which new versions serve. */
export function PromotionField({
  promotion,
  onChange,
}: {
  promotion: Promotion;
  onChange: (promotion: Promotion) => void;
}) {
  return (
    <Field
      label="When a new version is ready"
      hint={
        promotion === 'if_not_worse'
          ? 'Both versions are compared on rows that neither was trained on. With fewer than 100, it waits.'
          : undefined
      }
    >
      {(control) => <Select {...control} value={promotion} options={CHOICES} onChoose={onChange} />}
    </Field>
  );
}
