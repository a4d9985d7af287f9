import type { Scale } from './scale.js';

/** The rectangle that a plot's marks are drawn in. */
export interface Area {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The axis below a plot, with its label. */
export function BottomAxis({
  scale,
  area,
  label,
  format,
}: {
  scale: Scale;
  area: Area;
  label: string;
  format: (value: number) => string;
}) {
  return (
    <g class="axis">
      <line x1={area.left} x2={area.right} y1={area.bottom} y2={area.bottom} />
      {scale.ticks.map((tick) => (
        <text key={tick} x={scale(tick)} y={area.bottom + 16} text-anchor="middle">
          {format(tick)}
        </text>
      ))}
      <text class="label" x={area.right} y={area.bottom + 34} text-anchor="end">
        {label}
      </text>
    </g>
  );
}

/** The axis left of a plot, with lines across the plot and its label above. */
export function LeftAxis({
  scale,
  area,
  label,
  format,
}: {
  scale: Scale;
  area: Area;
  label: string;
  format: (value: number) => string;
}) {
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
      <text class="label" x={area.left} y={area.top - 10} text-anchor="start">
        {label}
      </text>
    </g>
  );
}
