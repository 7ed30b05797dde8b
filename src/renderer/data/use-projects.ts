import { useQuery } from '@tanstack/react-query'
import { api } from './api.ts'
import { queries } from './queries.ts'
import { volatileQuery } from './query-client.ts'

const RECENT_MS = 90 * 86_400_000
const noTags: string[] = []

/** The projects of the requests of the last 90 days, the most expensive first. */
const usedProjects = volatileQuery(['projects'], async () => {
  const from = new Date(Date.now() - RECENT_MS).toISOString()
  const { data } = await api('getUsage', { query: { groupBy: 'tag', from } })
  return data.map(({ group }) => group).filter((tag) => tag !== '')
})

/** The projects (tags) that can be chosen in a filter. */
export function useProjects(): string[] {
  const { data: used = noTags } = useQuery(usedProjects)
  const { data: keys = [] } = useQuery(queries.keys)
  return [...new Set([...used, ...keys.flatMap(({ tag }) => tag ?? [])])]
}
