import type { QueryClient } from '@tanstack/query-core';
import type { Roster, Skill } from 'roster-client';
import { rosterQueries } from 'roster-client/tanstack-query';

/** Changes a skill, and shows the change before the service has answered. */
export function skillChange(roster: Roster, queries: QueryClient, name: string) {
  const { skills } = rosterQueries(roster);
  const { queryKey } = skills.get(name);
  return {
    ...skills.update(name),
    onMutate: async (skill: { type?: string | null }) => {
      await queries.cancelQueries({ queryKey });
      const before = queries.getQueryData<Skill>(queryKey);
      if (before) queries.setQueryData(queryKey, { ...before, ...skill });
      return () => queries.setQueryData(queryKey, before);
    },
    onError: (_error: Error, _skill: unknown, rollBack?: () => void) => rollBack?.(),
  };
}
