// Branches of repositories, by the names that the gateway gives them: a repository and a branch, with a space between them.

import { useQuery } from '@tanstack/react-query'
import type { GitPlace } from '../../shared/api/git.ts'
import { api } from './api.ts'
import { volatileQuery } from './query-client.ts'

const RECENT_SESSIONS = 500
const none: string[] = []

const recentBranches = volatileQuery(['branches'], async () => {
  const { data } = await api('listSessions', { query: { limit: RECENT_SESSIONS } })
  return [...new Set(data.flatMap(({ branches }) => branches.map(joinBranch)))]
})

/** The branches on which sessions worked recently; none unless they are `wanted`. */
export function useBranches(wanted: boolean): string[] {
  return useQuery({ ...recentBranches, enabled: wanted }).data ?? none
}

export function joinBranch({ repository, branch }: GitPlace): string {
  return `${repository} ${branch}`
}

/** `fix in ann/shop`, without the host of the repository. */
export function labelBranch(name: string): string {
  const [repository = '', branch = ''] = name.split(' ', 2)
  const path = repository.split('/')
  return `${branch === '' ? 'No branch' : branch} in ${path.slice(path.length > 1 ? 1 : 0).join('/')}`
}
