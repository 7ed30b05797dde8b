// Owns the three rankings of the last 30 days: models, keys, tools.
import { useQuery } from '@tanstack/react-query'
import type { UsageRow } from '../../../shared/usage.ts'
import { Card, CardHeader } from '../../components/page.tsx'
import { queries } from '../../server-state/queries.ts'
import { emptyUsage } from '../../server-state/usage.ts'
import { toolName, toolSearch } from './tool-name.ts'
import { TopList } from './top-list.tsx'

interface Ranking {
  title: string
  none: string
  of: 'models' | 'keys' | 'clients'
  label: (row: UsageRow) => string
  /** Null: no filter of the requests shows just these. */
  href: (group: string) => string | null
}

const rankings: readonly Ranking[] = [
  {
    title: 'Top models',
    none: 'No model was called yet.',
    of: 'models',
    label: ({ label }) => label,
    href: (id) => `/requests?model=${encodeURIComponent(id)}`,
  },
  {
    title: 'Top keys',
    none: 'No key was used yet.',
    of: 'keys',
    label: ({ label }) => label,
    href: (id) => `/requests?key=${encodeURIComponent(id)}`,
  },
  {
    title: 'Top tools',
    none: 'No program has called yet.',
    of: 'clients',
    label: ({ group }) => toolName(group),
    href: (name) => {
      const text = toolSearch(name)
      return text === null ? null : `/requests?q=${encodeURIComponent(text)}`
    },
  },
]

export function TopLists() {
  const { data: usage = emptyUsage, isPending, isLoadingError } = useQuery(queries.usage)
  return rankings.map(({ title, none, of, label, href }) => (
    <Card key={of}>
      <CardHeader title={title}>last 30 days</CardHeader>
      <TopList
        loading={isPending}
        none={isLoadingError ? 'This could not be loaded.' : none}
        rows={usage[of].map((row) => ({ ...row, label: label(row) }))}
        href={href}
      />
    </Card>
  ))
}
