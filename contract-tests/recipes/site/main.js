/** Gives the test of the page what the recipe and the client export. */
import * as client from 'roster-client';
import * as files from '../../../examples/recipes/files.ts';

Object.assign(window, { client, files });
