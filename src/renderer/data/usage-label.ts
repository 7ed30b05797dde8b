import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { GitPlace } from '../../shared/api/git.ts'
import { api } from './api.ts'
import { queries } from './queries.ts'
import { volatileQuery } from './query-client.ts'
import type { UsageSplit } from './request-link.ts'
import { getToolName, nameUnread } from './session-name.ts'
import type { UsageBy } from './usage-table.ts'

/** The splits of usage, with the names of the choices. */
export const NAMED_SPLITS = [
  { value: 'model', label: 'Model' },
  { value: 'key', label: 'Key' },
  { value: 'provider', label: 'Provider' },
  { value: 'client', label: 'Tool' },
  { value: 'tag', label: 'Project' },
  { value: 'session', label: 'Session' },
] as const satisfies { value: UsageSplit; label: string }[]

const SHORT_HASH = 10

/** The names of a split's groups on the screen, by their id and the gateway's label. */
export function useUsageLabel(by: Exclude<UsageBy, 'day'>): (id: string, label: string) => string {
  const { data: providers } = useQuery(queries.providers)
  return useCallback(
    (id, label) => {
      if (by === 'client') return getToolName(id)
      if (by === 'provider') {
        return id === '' ? 'Not sent to a provider' : (providers?.find((one) => one.id === id)?.name ?? label)
      }
      if (by === 'branch' || by === 'commit')
        return id === '' ? 'Not attributed' : by === 'branch' ? labelBranch(id) : id.slice(0, SHORT_HASH)
      if (id === '' && by === 'tag') return 'No project'
      if (by === 'session' && id === '') return 'No session'
      if (by === 'session') return nameUnread(id, label)
      return label || 'Unknown'
    },
    [by, providers],
  )
}

// Branches of repositories, by the names that the gateway gives them: a repository and a branch, with a space between them.

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
