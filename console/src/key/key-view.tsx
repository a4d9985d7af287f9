import { answered, type Caller, ProblemError } from 'roster-client';
import { roster } from '../session/roster.js';
import { SCOPE_WORDS } from '../session/scopes.js';
import { useLoaded } from '../session/use-loaded.js';
import { Facts } from '../ui/facts.js';
import { bytes, whole } from '../ui/format.js';
import { Loading } from '../ui/loading.js';
import { View } from '../ui/view.js';
import { KeyForm } from './key-dialog.js';

/** The view `#/key`: the key of the session, and what it may do. */
export function KeyView() {
  const { loaded, reload } = useLoaded((signal) => answered(roster.GET('/me', { signal })), []);
  const hasNoKeys = loaded.state === 'ready' && !describeHolder(loaded.value);
  const isRefused =
    loaded.state === 'failed' &&
    loaded.error instanceof ProblemError &&
    loaded.error.problem.type === '/problems/unauthorized';
  return (
    <View title="Key">
      {isRefused ? (
        <p>This service needs a valid key.</p>
      ) : (
        <Loading loaded={loaded} what="the key" retry={reload}>
          {(caller) => <CallerFacts caller={caller} />}
        </Loading>
      )}
      {!hasNoKeys && (
        <section class="resource">
          <h2>{loaded.state === 'ready' ? 'Use another key' : 'Use a key'}</h2>
          <KeyForm />
        </section>
      )}
    </View>
  );
}

/** Returns the key or the user of a token; undefined on a service without keys. */
function describeHolder({ key, identity }: Caller) {
  return key ?? (identity && { name: identity.subject });
}

function CallerFacts({ caller }: { caller: Caller }) {
  const { owner, key, scopes, limits } = caller;
  const holder = describeHolder(caller);
  return (
    <>
      {!holder ? (
        <p>This service has no keys. Only this machine can reach it.</p>
      ) : (
        <>
          <p>
            <strong>{holder.name}</strong> belongs to <strong>{owner}</strong>.
          </p>
          <ul class="scopes">
            {Object.entries(SCOPE_WORDS).map(([scope, meaning]) => {
              const isGranted = scopes.some((one) => one === scope);
              return (
                <li key={scope} class={isGranted ? 'granted' : 'faint'}>
                  <strong>{`May ${isGranted ? '' : 'not '}${scope}`}</strong>
                  <span>{meaning}</span>
                </li>
              );
            })}
          </ul>
        </>
      )}
      <Facts
        facts={[
          ['Largest CSV table', bytes(limits.max_table)],
          ['Largest JSON body', bytes(limits.max_body)],
          ['Requests per minute', limits.rate_limit === null ? 'not limited' : whole(limits.rate_limit)],
          ...(key ? [['Identifier', <code key="id">{key.id}</code>] as const] : []),
        ]}
      />
    </>
  );
}
