import { runScenarios } from '../scenarios.js';
import { speed } from './speed.js';
import { tables } from './tables.js';

await runScenarios({
  name: 'bench:onnx',
  description:
    'Compare models as ONNX with the service: what they answer, in ONNX Runtime of Node.js and of Python, and how fast.',
  file: 'onnx',
  scenarios: [tables, speed],
});
