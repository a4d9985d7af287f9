import { useState } from 'preact/hooks';
import { navigate } from '../router/route.js';
import { key } from '../session/key.js';
import { baseUrl } from '../session/roster.js';
import { TABLE_HINT, TABLE_TYPES } from '../tables/table-types.js';
import { handOver } from '../training/chosen-file.js';
import { DEMO, FORECAST_DEMO, loadDemoTable } from '../training/demo.js';
import { SendingProgress } from '../training/sending-progress.js';
import { useTraining } from '../training/use-training.js';
import { Copyable } from '../ui/copyable.js';
import { DropZone } from '../ui/drop-zone.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { count, whole } from '../ui/format.js';
import { View } from '../ui/view.js';

/** The ways to get the first model of a project. */
export function FirstModel({ project }: { project: string }) {
  const { state, isSending, start, cancel } = useTraining();
  const [demo, setDemo] = useState<typeof DEMO | typeof FORECAST_DEMO>(DEMO);
  const tryDemo = (chosen = demo) => {
    setDemo(chosen);
    const { table, ...request } = chosen;
    return start(async () => ({ project, ...request, table: await loadDemoTable(table) }));
  };
  return (
    <View title="What do you want to predict?">
      <p class="intro">
        Give Roster a table in which the value to predict is known. It trains a model, which predicts the value for
        other rows and says how confident it is in each.
      </p>
      <div class="ways">
        <section class="card">
          <h2>Try the example</h2>
          <p>
            The prices of {count(DEMO.rows, 'diamond')}, by weight, cut, colour and clarity. Training takes a few
            seconds. Then predict the price of one diamond, or of {whole(DEMO.moreRowCount)} at once.
          </p>
          {/* Not disabled, which would take the focus away. */}
          <button type="button" class="primary" onClick={() => isSending || tryDemo(DEMO)} aria-disabled={isSending}>
            Try it with {count(DEMO.rows, 'diamond')}
          </button>
          <p>
            Or the houses sold in 46 cities of Texas, month by month. See the next year of each city, with intervals.
          </p>
          <button type="button" onClick={() => isSending || tryDemo(FORECAST_DEMO)} aria-disabled={isSending}>
            Forecast house sales
          </button>
          <SendingProgress state={state} cancel={cancel} />
          {state.step === 'failed' && <ErrorNotice error={state.error} retry={() => tryDemo()} />}
        </section>
        <section class="card">
          <h2>Use your own table</h2>
          <p>{TABLE_HINT}</p>
          <DropZone
            label="Drop a table here, or"
            accept={TABLE_TYPES}
            onFile={(file) => {
              handOver(file);
              navigate(['projects', project, 'models', '~new']);
            }}
          />
        </section>
      </div>
      <h2>Use a terminal</h2>
      <p>These commands train with the same diamonds.</p>
      <Copyable label="Copy the commands" text={commands(project)} />
    </View>
  );
}

function commands(project: string): string {
  const address = `${baseUrl}/api/projects/${encodeURIComponent(project)}/models/${DEMO.name}`;
  return [
    `curl -O ${DEMO.table}`,
    [
      `curl -T diamonds.csv '${address}?target=${DEMO.target}'`,
      `-H 'Content-Type: text/csv'`,
      ...(key.get() ? [`-H "Authorization: Bearer $ROSTER_KEY"`] : []),
    ].join(' \\\n  '),
  ].join('\n');
}
