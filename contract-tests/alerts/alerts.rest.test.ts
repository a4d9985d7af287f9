/** Tests that each alert fires when it should, and not when it should not, by the tool of Prometheus itself. */
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { findProgram } from '../../testkit/programs.js';
import { root } from '../../testkit/root.js';

const ALERTS = new URL('examples/prometheus/alerts.yml', root);
const CASES = new URL('contract-tests/alerts/alerts.test.yml', root);

test('each alert has a case in which it fires, and one in which it does not', async () => {
  const { groups } = load(await readFile(ALERTS, 'utf8')) as { groups: { rules: { alert: string }[] }[] };
  const { tests } = load(await readFile(CASES, 'utf8')) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts?: unknown[] }[] }[];
  };
  const cases = tests.flatMap((one) => one.alert_rule_test);
  const names = (fires: boolean) => [
    ...new Set(cases.flatMap(({ alertname, exp_alerts }) => ((exp_alerts !== undefined) === fires ? alertname : []))),
  ];
  const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
  expect(names(true).sort()).toEqual(alerts.toSorted());
  // One series of the growth of stores does not fire, in the case in which another does.
  expect(names(false).sort()).toEqual(alerts.filter((name) => name !== 'RosterStoreGrows').sort());
});

test('promtool finds that the alerts fire as the cases say', async ({ skip }) => {
  const promtool = findProgram('PROMTOOL_BIN', ['promtool'], []);
  skip(promtool === undefined, "there is no promtool on this machine; Debian's package `prometheus` has it");
  if (promtool === undefined) return;
  const folder = await mkdtemp(join(tmpdir(), 'roster-alerts-'));
  try {
    await copyFile(ALERTS, join(folder, 'alerts.yml'));
    await copyFile(CASES, join(folder, 'cases.yml'));
    const run = promisify(execFile)(promtool, ['test', 'rules', 'cases.yml'], { cwd: folder });
    const { stdout } = await run.catch((error) => error);
    expect(stdout.replaceAll(/\s+/g, ' ').trim()).toBe('Unit Testing: cases.yml SUCCESS');
  } finally {
    await rm(folder, { recursive: true });
  }
});
