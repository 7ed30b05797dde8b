import { useQuery } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { toast } from 'sonner'
import type { PriceStatus } from '../../../shared/api/pricing.ts'
import { fetchNewestPrices } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { Badge } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { formatDate } from '../../kit/format.ts'
import { InlineError } from '../../kit/notice.tsx'
import { useSubmit } from '../../kit/use-submit.ts'

const sources: Record<PriceStatus['source'], string> = {
  package: 'the database included in this version',
  refreshed: 'the refreshed database',
}

export function PriceLine() {
  const { data: prices, error, isLoadingError } = useQuery(queries.prices)
  const { pending, error: refreshError, submit } = useSubmit()

  const fetch = () =>
    submit(async () => {
      const { asOf } = await fetchNewestPrices()
      toast.success(`Prices updated to ${formatCalendarDay(asOf)}.`)
    })

  return (
    <section aria-label="Price data" className="mb-3 flex flex-col gap-2">
      <div className="flex min-h-7 items-center gap-2 text-ink-3 text-sm max-sm:flex-wrap">
        {prices ? (
          <p className="max-sm:basis-full">
            Prices in USD per million tokens, from {sources[prices.source]},{' '}
            <span className="whitespace-nowrap">{formatCalendarDay(prices.asOf)}</span>
          </p>
        ) : null}
        {prices?.stale ? <Badge tone="warn">Stale</Badge> : null}
        <Button
          small
          variant="quiet"
          icon={RefreshCw}
          pending={pending}
          onClick={() => void fetch()}
          className="ml-auto"
        >
          Refresh prices
        </Button>
      </div>
      <InlineError error={refreshError ?? (isLoadingError ? error : null)} />
    </section>
  )
}

/** A calendar day, in no time zone. */
function formatCalendarDay(date: string): string {
  return formatDate(date, 'UTC')
}
