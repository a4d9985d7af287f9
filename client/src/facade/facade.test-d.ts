/** The types of the façade, as the compiler checks them. This file is never run. */
import { describe, expectTypeOf, test } from 'vitest';
import { FACADE, type Resources } from '../../../generated/facade.js';
import type { operations } from '../../../generated/openapi.js';
import { createRoster, isProblem, isSkillOf, type ProblemOf, type ProblemType, type Skill } from '../index.js';

const roster = createRoster({ baseUrl: 'http://127.0.0.1:4000' });

interface Models {
  prices: { input: { carat?: number | null; cut?: 'Fair' | 'Ideal' | null }; target: 'price'; value: number };
  leavers: { input: { months?: number | null }; target: 'churned'; value: 'yes' | 'no' };
}
const typed = createRoster<Models>({ baseUrl: 'http://127.0.0.1:4000' });

describe('operations', () => {
  test('each operation of the contract has a method, apart from those of OAuth', () => {
    type Methods = { [Resource in keyof Resources]: (typeof FACADE)[Resource] }[keyof Resources];
    type Ids = Methods extends infer Each
      ? Each extends unknown
        ? Each[keyof Each] extends { id: infer Id }
          ? Id
          : never
        : never
      : never;
    type OfOauth =
      | `get${'Protected' | 'Mcp'}Resource${'' | 'OfProject'}`
      | 'getAuthorizationServer'
      | `${'show' | 'give'}Consent`
      | 'issueToken'
      | 'registerClient'
      | 'revokeToken';
    expectTypeOf<Ids>().toEqualTypeOf<Exclude<keyof operations, OfOauth>>();
    void FACADE;
  });

  test('a method returns the resource of the contract', async () => {
    expectTypeOf(await roster.skills.get('sales_questions')).toExtend<Skill>();
    expectTypeOf<Skill>().toExtend<Awaited<ReturnType<typeof roster.skills.get>>>();
    expectTypeOf(await roster.skills.delete('sales_questions')).toEqualTypeOf<undefined>();
    expectTypeOf(await roster.documents.get('care', 'silver.md')).toEqualTypeOf<string>();
    for await (const skill of roster.skills.list()) expectTypeOf(skill).toExtend<Skill>();
    for await (const event of roster.agents.stream('analyst', { messages: [] })) {
      if ('output' in event) expectTypeOf(event.output).toEqualTypeOf<string>();
    }
  });

  test('parameters have one spelling', () => {
    void roster.models.train('prices', [], { target: 'price', groupBy: ['shop'] });
    // @ts-expect-error: the contract's group_by is 'groupBy' here
    void roster.models.train('prices', [], { target: 'price', group_by: ['shop'] });
    // @ts-expect-error: the options with 'target' are missing
    void roster.models.train('prices', []);
    void roster.skills.update('lookup', { type: 'lookup' }, { ifMatch: '"a"' });
    // @ts-expect-error: a name is a string
    void roster.skills.get(7);
    // @ts-expect-error: a project has no 'colour'
    void roster.projects.create({ name: 'jewellery', colour: 'red' });
  });

  test('the problems of an operation are a union, which its type narrows', async () => {
    const { data, error } = await roster.agents.create({ name: 'analyst' }).result();
    if (error === undefined) expectTypeOf(data.name).toEqualTypeOf<string>();
    else {
      expectTypeOf(error.type).toEqualTypeOf<ProblemOf<'createAgent'>['type']>();
      if (error.type === '/problems/unknown-skill') {
        expectTypeOf(error.errors[0]?.pointer).toEqualTypeOf<string | undefined>();
      }
      // @ts-expect-error: createAgent does not answer 'skill-not-found'
      if (error.type === '/problems/skill-not-found') return;
    }
    const caught: unknown = error;
    if (isProblem(caught, '/problems/model-not-ready')) {
      expectTypeOf(caught.problem.model_status).toEqualTypeOf<'training' | 'failed'>();
    }
    if (isProblem(caught)) expectTypeOf(caught.problem.type).toEqualTypeOf<ProblemType>();
  });
});

describe('skills', () => {
  const tables = ['orders'];

  test('the type of a skill says which params it needs', () => {
    const params = { database: 'sales', tables, owner: 'Ada' };
    void roster.skills.create({ name: 'sales', type: 'sql', params });
    // @ts-expect-error: 'params' are missing
    void roster.skills.create({ name: 'sales', type: 'sql' });
    // @ts-expect-error: 'tables' are missing
    void roster.skills.create({ name: 'sales', type: 'sql', params: { database: 'sales' } });
    // @ts-expect-error: 'tables' is an array
    void roster.skills.create({ name: 'a', type: 'sql', params: { database: 'a', tables: 'b' } });
    // @ts-expect-error: 'source' is missing
    void roster.skills.create({ name: 'care', type: 'retrieval', params: {} });
    void roster.skills.create({ name: 'shop', type: 'mcp', params: { server: 'shop', tools: ['predict_prices'] } });
    // @ts-expect-error A skill of the type mcp names its tools.
    void roster.skills.create({ name: 'shop', type: 'mcp', params: { server: 'shop' } });
    void roster.skills.create({ name: 'care', type: 'knowledge_base' });
    void roster.skills.create({ name: 'prices', type: 'model', params: { model: 'prices' } });
    // @ts-expect-error: a skill has no 'colour'
    void roster.skills.create({ name: 'a', type: 'knowledge_base', colour: 'red' });
    // @ts-expect-error: 'type' is missing
    void roster.skills.create({ name: 'a' });
  });

  test('reading a skill narrows its params by its type', async () => {
    const skill = await roster.skills.get('sales');
    // @ts-expect-error: a skill of any type may have no 'tables', or others
    const before: string[] = skill.params['tables'];
    if (isSkillOf(skill, 'sql')) {
      expectTypeOf(skill.type).toEqualTypeOf<'sql'>();
      expectTypeOf(skill.params.tables).toEqualTypeOf<string[]>();
      expectTypeOf(skill.params['owner']).toBeUnknown();
      expectTypeOf(skill).toExtend<Skill>();
      void before;
    } else if (isSkillOf(skill, 'model', 'mcp')) {
      if (skill.type === 'model') expectTypeOf(skill.params.version).toEqualTypeOf<number | undefined>();
      else expectTypeOf(skill.params.server).toEqualTypeOf<string>();
    } else expectTypeOf(skill.type).toEqualTypeOf<string>();
    const { skills } = await roster.agents.get('analyst');
    expectTypeOf(skills.filter((each) => isSkillOf(each, 'mcp'))[0]?.params.tools).toEqualTypeOf<
      string[] | undefined
    >();
    // @ts-expect-error: no type of skill that has its own params
    isSkillOf(skill, 'weather');
  });

  test('a skill of any other type is data, with any params or none', () => {
    void roster.skills.create({ name: 'weather', type: 'weather', params: { city: 'Ulm' } });
    void roster.skills.create({ name: 'weather', type: 'weather' });
    const type: string = JSON.parse('"weather"');
    void roster.skills.create({ name: 'weather', type, params: { database: 7 } });
  });

  test('a change names members of its type, and null removes one', () => {
    void roster.skills.update('sales', { params: { anything: 7 } });
    void roster.skills.update('sales', { name: 'orders' });
    void roster.skills.update('sales', { type: 'sql', params: { database: 'b', description: null } });
    // @ts-expect-error: 'database' is a text
    void roster.skills.update('sales', { type: 'sql', params: { database: 7 } });
  });
});

describe('predictions', () => {
  test('rows and answers are those of the model of the name', async () => {
    const [row] = await typed.models.predict('prices', [{ carat: 0.7, cut: 'Ideal' }]);
    expectTypeOf(row?.price).toEqualTypeOf<number | undefined>();
    expectTypeOf(row?.price_max).toEqualTypeOf<number | undefined>();
    expectTypeOf(row?.cut).toEqualTypeOf<'Fair' | 'Ideal' | null | undefined>();
    // @ts-expect-error: a number has no set
    void row?.price_set;
    const [leaver] = await typed.models.predict('leavers', [{ months: 3 }]);
    expectTypeOf(leaver?.churned).toEqualTypeOf<'yes' | 'no' | undefined>();
    expectTypeOf(leaver?.churned_set).toEqualTypeOf<('yes' | 'no')[] | undefined>();
    expectTypeOf(leaver?.churned_min).toEqualTypeOf<null | undefined>();
  });

  test('lean rows have the columns that were asked for', async () => {
    const lean = { rows: 'lean', explain: true, probabilities: true } as const;
    const [leaver] = await typed.models.predict('leavers', [{ months: 3 }], lean);
    expectTypeOf(leaver?.churned_probability_yes).toEqualTypeOf<number | undefined>();
    expectTypeOf(leaver?.churned_explain.probability_class_no).toEqualTypeOf<number | undefined>();
    // @ts-expect-error: a class has no bounds
    void leaver?.churned_min;
    const [row] = await typed.models.predict('prices', [{}], { rows: 'lean', confidence: 0.9 });
    expectTypeOf(row?.price_min).toEqualTypeOf<number | undefined>();
    // @ts-expect-error: 'explain' was not asked for
    void row?.price_explain;
    // @ts-expect-error: 'warnings' was not asked for
    void row?.price_warnings;
    const [warned] = await typed.models.predict('prices', [{}], { warnings: true });
    expectTypeOf(warned?.price_warnings).toEqualTypeOf<string | null | undefined>();
    expectTypeOf(warned?.price).toEqualTypeOf<number | undefined>();
    const [explained] = await typed.models.predict('prices', [{}], { contributions: true });
    expectTypeOf(explained?.price_base).toEqualTypeOf<number | undefined>();
    expectTypeOf(explained?.price_contribution_carat).toEqualTypeOf<number | undefined>();
    expectTypeOf(explained?.price_season).toEqualTypeOf<number | undefined>();
    // @ts-expect-error: a number has no probability
    void explained?.price_base_probability;
    const [moved] = await typed.models.predict('leavers', [{}], { contributions: true });
    expectTypeOf(moved?.churned_base_probability).toEqualTypeOf<number | undefined>();
    // @ts-expect-error: only forecasts have a season
    void moved?.churned_season;
    // @ts-expect-error: it is called 'confidence'
    void typed.models.predict('prices', [{}], { rows: 'lean', confidnce: 0.9 });
  });

  test('a model, a column or a category that is not known is a mistake', () => {
    // @ts-expect-error: there is no model 'price'
    void typed.models.predict('price', [{ carat: 0.7 }]);
    // @ts-expect-error: there is no column 'weight'
    void typed.models.predict('prices', [{ weight: 0.7 }]);
    // @ts-expect-error: there is no category 'Superb'
    void typed.models.predict('prices', [{ cut: 'Superb' }]);
  });

  test('without types of models, the target can be named', async () => {
    const [row] = await roster.models.predict<{ price: number }>('prices', [{ carat: 0.7 }]);
    expectTypeOf(row?.price).toEqualTypeOf<number | undefined>();
    expectTypeOf(row?.price_confidence).toEqualTypeOf<number | undefined>();
    const [any] = await roster.models.predict('prices', [{ carat: 0.7 }]);
    expectTypeOf(any?.price).toBeUnknown();
    void roster.models.predict('prices', 'carat\n0.7', { contentType: 'text/csv' });
  });
});
