import { ask, type Headers } from '../../../../testkit/http/client.js';
import { untilReadyAt } from '../../../../testkit/service/train-prices.js';
import type { Target } from '../../attacks/attack.js';
import { WIDE_TABLE } from './files.js';

/** The models of the attackers. */
export const MODELS = '/api/projects/attackers/models';

/** Trains a model of texts, whose rows are attacked. */
export async function trainWide({ url }: Target, owner: Headers): Promise<void> {
  await ask('POST', `${url}/projects`, { project: { name: 'attackers' } }, owner);
  await ask('PUT', `${url}${MODELS}/wide?target=y`, WIDE_TABLE, owner);
  await untilReadyAt(`${url}${MODELS}/wide`, owner);
}
