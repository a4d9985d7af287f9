import { pino } from 'pino';
import { chooseIds } from 'roster-prediction/predicting';
import { expect, test } from 'vitest';
import { Store } from '../../store/index.js';
import { Tables } from './tables.js';
import { slowSender } from './uploads.js';

test('a small body of truths ends when its caller has gone while promised ids are read', async () => {
  const store = await Store.open(':memory:');
  const tables = new Tables(store, pino({ level: 'silent' }));
  const caller = new AbortController();
  const gone = new Error('The caller has gone.');
  async function* text() {
    yield Buffer.from('order_no,y\n7,1\n');
  }
  async function* promised(signal: AbortSignal) {
    yield { batches: [], ids: new Float64Array(), steps: undefined };
    caller.abort(gone);
    signal.throwIfAborted();
    throw new Error('The ids are read on');
  }
  const truths = { target: 'y', reading: null, missingWords: undefined, ids: chooseIds('order_no', undefined) };
  const upload = { owner: 'ann', text: text(), promised, tooSlow: slowSender('truths'), signal: caller.signal };
  const reading = tables.readActuals({ ...upload, truths, format: 'csv', form: {} }, async () => {
    throw new Error('A chunk came');
  });
  await expect(reading).rejects.toBe(gone);
  await tables.stop();
  await store.close();
});
