import { Command } from 'commander';
import { runService } from '../main-thread.js';

export const startCommand = new Command('start').description('run the service').action(() => {
  runService([]);
});
