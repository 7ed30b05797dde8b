import { useQuery } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import type { ModelRecord } from '../../../shared/api/models.ts'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { formatCount } from '../../kit/format.ts'
import { useAddressParam } from '../../kit/use-address-param.ts'
import { countModels } from './count-models.ts'

interface UnpricedNoticeProps {
  models: readonly ModelRecord[]
  /** Only models without a price are shown. */
  shown: boolean
}

/** Says how many models and requests have no price, because their spend is missing in every total. */
export function UnpricedNotice({ models, shown }: UnpricedNoticeProps) {
  const { data: usage } = useQuery(queries.usage)
  const [, setPrice] = useAddressParam('price')
  const unpriced = models.filter(({ pricing, enabled }) => pricing === null && enabled)
  const count = unpriced.length
  if (count === 0) return null
  const ids = new Set(unpriced.map(({ id }) => id))
  const requests = (usage?.models ?? [])
    .filter(({ group }) => ids.has(group))
    .reduce((sum, row) => sum + row.unpriced, 0)
  const counted =
    requests === 0
      ? ''
      : ` (${requests === 1 ? '1 request' : `${formatCount(requests)} requests`} in the last 30 days)`
  return (
    <div className="mb-3 flex items-center gap-2.5 rounded-lg bg-warn-soft px-3.5 py-2 text-warn">
      <CircleAlert size={14} aria-hidden className="shrink-0" />
      <p className="min-w-0 flex-1">
        {countModels(count)} {count === 1 ? 'has' : 'have'} no price. What{' '}
        {count === 1 ? 'it costs' : 'they cost'} is missing in every total{counted}, and keys with a cap
        cannot use {count === 1 ? 'it' : 'them'}.
      </p>
      <Button small onClick={() => setPrice(shown ? null : 'none')}>
        {shown ? 'Show all models' : 'Set prices'}
      </Button>
    </div>
  )
}
