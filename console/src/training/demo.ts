import { baseUrl } from '../session/roster.js';

/** The demo's model, and the tables that the service brings along for it. */
export const DEMO = {
  name: 'diamond_prices',
  target: 'price',
  rows: 9_000,
  table: `${baseUrl}/console/diamonds.csv`,
  moreRowCount: 1_000,
  moreRows: `${baseUrl}/console/more-diamonds.csv`,
} as const;

/** The demo of forecasts: houses sold in each city, by month. */
export const FORECAST_DEMO = {
  name: 'house_sales',
  target: 'sales',
  series: { order_by: 'month', group_by: ['city'], known: [], holidays: [], horizon: 12 },
  table: `${baseUrl}/console/house-sales.csv`,
};

/**
 * Loads a table of the demo.
 * @throws Error if the service does not have it, as the mock
 */
export async function loadDemoTable(url: string): Promise<File> {
  const response = await fetch(url);
  if (!response.ok) throw new Error('The service does not have the example table.');
  const name = url.slice(url.lastIndexOf('/') + 1);
  return new File([await response.blob()], name, { type: 'text/csv' });
}
