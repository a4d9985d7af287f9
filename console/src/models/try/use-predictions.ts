import { useEffect, useRef, useState } from 'preact/hooks';
import { type Model, type PredictionRow, ProblemError, type RowWarning, rowWarnings } from 'roster-client';
import { type Contributions, isWithoutContributions, readContributions } from '../../predictions/contributions.js';
import { pinnedName } from '../../predictions/pinned-name.js';
import { connection } from '../../session/connection.js';
import { roster } from '../../session/roster.js';
import { useSignal } from '../../session/signal.js';
import { useSettled } from '../../ui/use-settled.js';
import { type Prediction, readPrediction } from './prediction.js';
import type { Cell } from './row.js';

/** A row to predict, and the values to predict it with in one of its columns. */
export interface Question {
  readonly row: Readonly<Record<string, Cell>>;
  readonly along: string;
  readonly values: readonly Cell[];
  /** The confidence wanted, or undefined for the service's own choice. */
  readonly confidence: number | undefined;
}

/** The predictions of a question: of the row, then of each value; and what the model does not know. */
export interface Predicted {
  readonly question: Question;
  readonly predictions: readonly Prediction[];
  readonly warnings: readonly RowWarning[];
  /** The contribution of each column of the row; undefined where the service has none. */
  readonly contributions: Contributions | undefined;
}

/**
 * Answers a question, and the next one when it changes. One request is in flight at a time, and the
 * next one is for the newest question, so that no answer replaces a newer one.
 */
export function usePredictions(
  project: string,
  model: Model,
  question: Question,
): { readonly predicted: Predicted | null; readonly error: unknown; retry(): void } {
  const [predicted, setPredicted] = useState<Predicted | null>(null);
  const [error, setError] = useState<unknown>(null);
  const isLost = useSignal(connection).state === 'lost';
  const wanted = useRef({ model, question });
  const isBusy = useRef(false);
  // Versions of earlier releases have no contributions: they are asked once.
  const unexplained = useRef(0);
  const isGone = useRef(false);

  const send = async () => {
    if (isBusy.current || isGone.current) return;
    isBusy.current = true;
    const sent = wanted.current;
    const ask = (contributions: boolean) => predict(project, sent.model, sent.question, contributions);
    const { version } = sent.model;
    try {
      const answer = await ask(unexplained.current !== version).catch((reason: unknown) => {
        if (unexplained.current === version || !isWithoutContributions(reason)) throw reason;
        unexplained.current = version;
        return ask(false);
      });
      setPredicted(answer);
      setError(null);
    } catch (reason) {
      setError(reason);
    }
    isBusy.current = false;
    if (sent !== wanted.current) await send();
  };

  const key = JSON.stringify([question, model.version]);
  // `key` stands for the question, which is new at each render.
  const settled = useSettled(key);
  useEffect(() => {
    if (settled !== key) return;
    wanted.current = { model, question };
    if (!isLost) void send();
  }, [settled, isLost]);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);
  return { predicted, error, retry: () => void send() };
}

async function predict(project: string, model: Model, question: Question, contributions: boolean): Promise<Predicted> {
  const { row, along, values, confidence } = question;
  const { data, error, response } = await roster.POST('/api/projects/{projectName}/models/{modelName}/predict', {
    params: {
      path: { projectName: project, modelName: pinnedName(model) },
      query: { ...(confidence !== undefined && { confidence }), ...(contributions && { contributions }) },
    },
    body: [row, ...values.map((value) => ({ ...row, [along]: value }))],
  });
  if (error !== undefined) throw new ProblemError(error, response);
  const answers: readonly PredictionRow[] = data;
  const predictions = answers.map((answer) => readPrediction(answer, model));
  const [first] = answers;
  return {
    question,
    predictions,
    warnings: rowWarnings(response).warnings,
    contributions: first && readContributions(first, model),
  };
}
