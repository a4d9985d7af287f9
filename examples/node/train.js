/** Trains a model and predicts, without the service. */
import { createReadStream } from 'node:fs';
import { Predictor, readCsvTable, train } from 'roster-prediction';

const diamonds = new URL('../../datasets/diamonds.csv', import.meta.url);
const model = train(await readCsvTable(createReadStream(diamonds), 'price'));
// A target of text would make a model of classes, which a Classifier makes ready.
if (model.task !== 'regression') throw new Error('Prices are numbers.');
const [answer] = new Predictor(model).predict([{ carat: 0.7, cut: 'Ideal', color: 'G' }], { confidence: 0.9 });
process.stdout.write(`${answer?.min} to ${answer?.max} dollars, at a confidence of 0.9\n`);
