import { useQuery } from '@tanstack/react-query'
import { queries } from './queries.ts'

/** The projects (tags) of the keys. */
export function useProjects(): string[] {
  const { data: keys = [] } = useQuery(queries.keys)
  return [...new Set(keys.flatMap(({ tag }) => tag ?? []))].toSorted()
}
