// Runs before anything is built, so it is not TypeScript, and has nothing that an old Node would not understand.
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const oldest = engines.node.replace('>=', '');
const [major, minor] = process.versions.node.split('.').map(Number);
const [oldestMajor, oldestMinor] = oldest.split('.').map(Number);
if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
  console.error(`Roster needs Node.js ${oldest} or later; this is ${process.versions.node}.`);
  process.exit(1);
}
