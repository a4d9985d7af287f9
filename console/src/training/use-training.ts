import { useEffect, useRef, useState } from 'preact/hooks';
import { navigate } from '../router/route.js';
import { useLeaveWarning } from '../session/use-leave-warning.js';
import { keepTrained } from './chosen-file.js';
import { type Sending, sendTable, type TrainingRequest } from './send-table.js';

/** A table that this page sends: none, on its way, or refused. */
export type SendingState = { readonly step: 'none' } | Sending | { readonly step: 'failed'; readonly error: unknown };

const NONE: SendingState = { step: 'none' };

/**
 * Sends a table to train a model with, and opens the model's view when the training has begun. When the
 * component goes, it stops sending.
 */
export function useTraining() {
  const [state, setState] = useState<SendingState>(NONE);
  const aborter = useRef<AbortController>(undefined);
  const isSending = state.step === 'sending';
  useEffect(() => () => aborter.current?.abort(), []);
  useLeaveWarning(isSending);

  const start = async (find: TrainingRequest | (() => Promise<TrainingRequest>)) => {
    const current = new AbortController();
    aborter.current = current;
    const { signal } = current;
    const set = (next: SendingState) => !signal.aborted && setState(next);
    set({ step: 'sending', share: 0 });
    try {
      const request = typeof find === 'function' ? await find() : find;
      await sendTable(request, set, signal);
      if (request.table instanceof File) keepTrained(request.project, request.name, request.table);
      if (!signal.aborted) navigate(['projects', request.project, 'models', request.name]);
    } catch (error) {
      set({ step: 'failed', error });
    }
  };
  const cancel = () => {
    aborter.current?.abort();
    setState(NONE);
  };
  return { state, isSending, start, cancel };
}
