import { answered, createRoster, createRosterClient, rosterTypes, untilReady } from 'roster-client';
import { rosterQueries } from 'roster-client/tanstack-query';

/** Trains and predicts with the typed client. */
export async function check(baseUrl: string, apiKey: string): Promise<void> {
  const roster = createRosterClient({ baseUrl, apiKey });
  const names = { projectName: 'default', modelName: 'rents' };
  const rows = Array.from({ length: 60 }, (_, size) => `${size},${300 + 9 * size}`);
  await answered(
    roster.PUT('/api/projects/{projectName}/models/{modelName}', {
      params: { path: names, query: { target: 'rent' } },
      body: ['size,rent', ...rows].join('\n'),
      headers: { 'Content-Type': 'text/csv' },
    }),
  );
  const model = await untilReady(roster, names, { every: 50 });
  const status: 'training' | 'ready' | 'failed' = model.status;
  const [row] = await answered(
    roster.POST('/api/projects/{projectName}/models/{modelName}/predict', {
      params: { path: names },
      body: [{ size: 30 }],
    }),
  );
  const methods = createRoster({ baseUrl, apiKey });
  const [same] = await methods.models.predict<{ rent: number }>(names.modelName, [{ size: 30 }]);
  const { queryKey } = rosterQueries(methods).models.get(names.modelName);
  const types = await rosterTypes(methods.client, methods.project);
  if (same?.rent !== row?.['rent'] || queryKey.length !== 5 || !types.includes('size?: number')) {
    throw new Error(`The methods got ${JSON.stringify(same)}, ${JSON.stringify(queryKey)}, ${types}`);
  }
  if (status !== 'ready' || typeof row?.['rent'] !== 'number') {
    throw new Error(`The client got ${status} and ${JSON.stringify(row)}`);
  }
}
