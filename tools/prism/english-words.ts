/**
 * Gives Prism the English words of the package that makes up values. Prism loads it in any case, although this mock
 * answers with examples alone, and the words of all languages take a quarter of its start.
 */
import { createRequire } from 'node:module';

const ofPrism = createRequire(createRequire(import.meta.url).resolve('@stoplight/prism-http'));
const english = ofPrism.resolve('@faker-js/faker/locale/en');
ofPrism(english);
ofPrism.cache[ofPrism.resolve('@faker-js/faker')] = ofPrism.cache[english];
