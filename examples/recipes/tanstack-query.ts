import type { QueryClient, QueryFunctionContext } from '@tanstack/query-core';
import type { Page, PageQuery, RosterClient, Skill, Tagged } from 'roster-client';
import { readPage, revalidate, tagged } from 'roster-client';

const SKILLS = '/projects/{project_name}/skills';
const SKILL = `${SKILLS}/{skill_name}` as const;
type SkillPath = { project_name: string; skill_name: string };

export const skillsQuery = (roster: RosterClient, path: { project_name: string }) => ({
  queryKey: ['skills', path.project_name, 'list'],
  queryFn: ({ pageParam, signal }: { pageParam: PageQuery; signal: AbortSignal }) =>
    readPage((query) => roster.GET(SKILLS, { params: { path, query }, signal }), pageParam),
  initialPageParam: { limit: 50 },
  getNextPageParam: ({ next }: Page<Skill>) => next,
});

export const skillQuery = (roster: RosterClient, path: SkillPath) => ({
  queryKey: ['skills', path.project_name, 'one', path.skill_name],
  queryFn: ({ client, queryKey, signal }: QueryFunctionContext) =>
    revalidate(client.getQueryData<Tagged<Skill>>(queryKey), (header) =>
      roster.GET(SKILL, { params: { path, header }, signal }),
    ),
});

export function skillChange(roster: RosterClient, queries: QueryClient, path: SkillPath) {
  const { queryKey } = skillQuery(roster, path);
  const shown = () => queries.getQueryData<Tagged<Skill>>(queryKey);
  const ifMatch = () => ({ 'If-Match': shown()?.etag ?? '*' });
  const show = (skill?: Tagged<Skill>) => queries.setQueryData(queryKey, skill);
  return {
    scope: { id: queryKey.join() },
    mutationFn: (skill: { type: string }) =>
      tagged(roster.PUT(SKILL, { params: { path, header: ifMatch() }, body: { skill } })),
    onMutate: async (skill: { type: string }) => {
      await queries.cancelQueries({ queryKey });
      const before = shown();
      if (before) show({ ...before, data: { ...before.data, ...skill } });
      return () => show(before);
    },
    onSuccess: show,
    onError: (_error: Error, _skill: unknown, rollBack?: () => void) => rollBack?.(),
    onSettled: () => queries.invalidateQueries({ queryKey: ['skills', path.project_name] }),
  };
}
