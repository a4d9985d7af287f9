import type { Scenario } from '../scenarios.js';
import {
  type BodyFormat,
  compare,
  pricesPath,
  ROWS,
  rateOf,
  ratio,
  requestOf,
  rowsASecond,
  withService,
} from './service.js';

const ROUNDS = 7;
const SECONDS = 2;

/** Rows a second in other formats, compared with those in JSON, at the same service, in turn. */
export const formats: Scenario = {
  name: 'formats',
  run: (folder) =>
    withService(folder, async (service) => {
      const path = await pricesPath(service);
      const faster = async (format: BodyFormat, name: string, aim: number) => {
        const rate = (format: BodyFormat) => {
          const request = requestOf(service.url, path, format);
          return () => rateOf({ service, request }, SECONDS);
        };
        const compared = await compare(rate(format), rate('json'), ROUNDS);
        const times = ratio(compared, 'perSecond');
        return {
          asked: `${ROWS.toLocaleString('en')}-row bodies of ${name}, answered in ${name}: at least ${aim} times the rows a second of JSON`,
          measured: `${times.toFixed(1)} times (median of ${ROUNDS} rounds): ${rowsASecond(compared.first)} against ${rowsASecond(compared.second)}`,
          passed: times >= aim,
        };
      };
      return [await faster('csv', 'CSV', 2), await faster('arrow-stream', 'Arrow', 5)];
    }),
};
