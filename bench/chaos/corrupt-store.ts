import { randomFillSync } from 'node:crypto';
import { copyFile, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Answer, Client, NoAnswer } from '../../testkit/http/client.js';
import { arrayOf, fieldOf, textOf } from '../../testkit/json.js';
import { type Service, startService } from '../../testkit/service/measured-service.js';
import { type Finding, none, type Scenario } from '../scenarios.js';
import { startOrLine } from './start-or-line.js';

const SKILLS = 2000;
const PAGE = 4096;
/** The positions of the overwritten pages, as fractions of the file. */
const PLACES = [0.2, 0.35, 0.5, 0.65, 0.8];

/** A store whose file was overwritten, at its beginning or in its middle. */
export const corruptStore: Scenario = {
  name: 'corrupt-store',
  run: async (folder) => {
    const good = join(folder, 'good.db');
    await fill(folder, good);
    const bad = join(folder, 'bad.db');
    await copyFile(good, bad);
    await overwrite(bad, 0, 100);
    const start = await startOrLine(folder, `file:${bad}`);
    const header: Finding = {
      asked: 'the header is overwritten: a start says what is wrong in one line',
      measured: start.words,
      passed: start.isClear && start.words.startsWith('exit'),
    };
    const faults: string[] = [];
    const tally = { right: 0, refused: 0 };
    for (const place of PLACES) {
      const damaged = join(folder, `damaged-${place}.db`);
      await copyFile(good, damaged);
      const { size } = await stat(damaged);
      await overwrite(damaged, Math.floor((place * size) / PAGE) * PAGE, PAGE);
      faults.push(...(await useDamaged(folder, damaged, place, tally)));
    }
    const asks = `${tally.right} right answers and ${tally.refused} refusals, pages at ${PLACES.join(', ')} of the file`;
    return [
      header,
      none('a page is overwritten: each answer is right, a problem, or broken off', faults, asks),
      {
        asked: 'a page is overwritten: what is on the others is readable',
        measured: `${tally.right} of ${PLACES.length * SKILLS}`,
        passed: tally.right >= 0.9 * PLACES.length * SKILLS,
      },
    ];
  },
};

async function fill(folder: string, file: string): Promise<void> {
  const service = await startService(folder, `file:${file}`);
  const client = new Client();
  for (let number = 0; number < SKILLS; number += 1) {
    await client.send('POST', `${service.url}/projects/default/skills`, { skill: skill(number) });
  }
  client.close();
  await service.stop();
}

function skill(number: number) {
  return { name: `skill_${number}`, type: 'lookup', params: { number } };
}

async function overwrite(file: string, at: number, length: number): Promise<void> {
  const handle = await open(file, 'r+');
  await handle.write(randomFillSync(Buffer.alloc(length)), 0, length, at);
  await handle.close();
}

/** Reads every resource, lists them, writes some, and after a restart reads the acknowledged ones again. */
async function useDamaged(
  folder: string,
  file: string,
  place: number,
  tally: { right: number; refused: number },
): Promise<string[]> {
  const url = `file:${file}`;
  const start = await startOrLine(folder, url);
  if (start.words.startsWith('exit')) {
    tally.refused += SKILLS;
    return start.isClear ? [] : [`page at ${place}: ${start.words}`];
  }
  const faults: string[] = [];
  const client = new Client();
  let service = await startService(folder, url);
  const check = (what: string, answer: Answer, isRight: boolean) => {
    if (isRight) tally.right += 1;
    else if (answer.status >= 500) tally.refused += 1;
    else faults.push(`page at ${place}: ${what}: ${answer.status} ${textOf(answer.body, 'title')}`);
    return isRight;
  };
  const read = async (service: Service, number: number) => {
    const path = `${service.url}/projects/default/skills/skill_${number}`;
    const answer = await client.send('GET', path);
    const found = fieldOf(fieldOf(answer.body, 'params'), 'number');
    check(`GET skill_${number}`, answer, answer.status === 200 && found === number);
  };
  try {
    for (let number = 0; number < SKILLS; number += 1) await read(service, number);
    // A list is read while it is sent. If reading fails, the answer breaks off, so no client takes it for
    // complete.
    const list = await client
      .send('GET', `${service.url}/projects/default/skills`)
      .catch((error: unknown) => {
        if (!(error instanceof NoAnswer)) throw error;
        tally.refused += 1;
      });
    if (list) check('GET skills', list, arrayOf(list.body).length === SKILLS);
    const written: number[] = [];
    for (let number = SKILLS; number < SKILLS + 20; number += 1) {
      const skills = `${service.url}/projects/default/skills`;
      const answer = await client.send('POST', skills, { skill: skill(number) });
      if (check('POST', answer, answer.status === 201)) written.push(number);
    }
    await service.kill();
    service = await startService(folder, url);
    for (const number of written) await read(service, number);
    return faults;
  } finally {
    client.close();
    await service.kill();
  }
}
