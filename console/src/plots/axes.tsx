import type { Scale } from './scale.js';

/** The rectangle that a plot's marks are drawn in. */
export interface Area {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The room for axes and labels around a plot's marks, in CSS pixels. */
export const MARGIN = { left: 58, right: 20, top: 26, bottom: 44 };

interface AxisProps {
  scale: Scale;
  area: Area;
  label: string;
  format: (value: number) => string;
}

/** The axis below a plot, with its label. */
export function BottomAxis({ scale, area, label, format }: AxisProps) {
  return (
    <g class="axis">
      <line x1={area.left} x2={area.right} y1={area.bottom} y2={area.bottom} />
      {scale.ticks.map((tick) => (
        <text
          key={tick}
          x={Math.min(scale(tick), area.right + MARGIN.right - (format(tick).length * CHARACTER) / 2)}
          y={area.bottom + 18}
          text-anchor="middle"
        >
          {format(tick)}
        </text>
      ))}
      <text class="label" x={area.right} y={area.bottom + 38} text-anchor="end">
        {fitToWidth(label, area.right - area.left)}
      </text>
    </g>
  );
}

/** The axis left of a plot, with lines across the plot and its label above. */
export function LeftAxis({ scale, area, label, format }: AxisProps) {
  return (
    <g class="axis">
      {scale.ticks.map((tick) => (
        <g key={tick}>
          <line class="grid" x1={area.left} x2={area.right} y1={scale(tick)} y2={scale(tick)} />
          <text x={area.left - 8} y={scale(tick) + 4} text-anchor="end">
            {format(tick)}
          </text>
        </g>
      ))}
      <text class="label" x={0} y={12} text-anchor="start">
        {fitToWidth(label, area.right)}
      </text>
    </g>
  );
}

/** The usual width of a character in a drawing, in CSS pixels. */
export const CHARACTER = 7;

/** Returns a text that fits a width, with an ellipsis where it was cut. */
export function fitToWidth(text: string, width: number): string {
  const characters = Array.from(text);
  const most = Math.max(1, Math.floor(width / CHARACTER));
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}
