export type { ExampleChoice, ExampleChoices, ExampleChooser, OperationId } from './choices.js';
export { type ExampleFetch, examples } from './examples.js';
export { exampleHandlers, type MswHttp } from './msw.js';
