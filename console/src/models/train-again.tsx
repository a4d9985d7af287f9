import { useState } from 'preact/hooks';
import { answered } from 'roster-client';
import { roster } from '../session/roster.js';
import type { ModelPath } from './change-model.js';

/**
 * A button that trains a model again from the query of its newest version.
 * @param onEnd called when the training has begun, or with the error that kept it from that
 */
export function TrainAgain({ path, onEnd }: { path: ModelPath; onEnd: (error: unknown) => void }) {
  const [isReading, setReading] = useState(false);
  const train = async () => {
    setReading(true);
    try {
      const address = '/api/projects/{projectName}/models/{modelName}/retrain';
      await answered(roster.POST(address, { params: { path } }));
      onEnd(null);
    } catch (error) {
      onEnd(error);
    } finally {
      setReading(false);
    }
  };
  return (
    <button type="button" disabled={isReading} onClick={train}>
      {isReading ? 'Reading the rows…' : 'Train again'}
    </button>
  );
}
