import type { RequestRecord } from '../../../shared/requests.ts'
import { ColumnMoney } from '../../components/money.tsx'
import { Card, CardHeader } from '../../components/page.tsx'
import { useNow } from '../../components/relative-time.tsx'
import { formatClock, formatCount } from '../../format.ts'
import { getRequestName } from '../../request-name.ts'
import { useTimeZone } from '../../server-state/hooks.ts'
import { getToolName } from '../../tool-name.ts'
import { MAX_REPLAYED } from './stored-requests.ts'

interface RequestChoiceProps {
  records: readonly RequestRecord[]
  chosen: readonly string[]
  onChange: (ids: string[]) => void
  disabled: boolean
}

/** The stored requests, of which some are chosen. */
export function RequestChoice({ records, chosen, onChange, disabled }: RequestChoiceProps) {
  const zone = useTimeZone()
  const now = useNow()
  const full = chosen.length >= MAX_REPLAYED
  return (
    <Card>
      <CardHeader title="Stored requests">
        {chosen.length} of at most {MAX_REPLAYED} chosen
      </CardHeader>
      <fieldset disabled={disabled} className="max-h-72 overflow-y-auto border-line border-t">
        <legend className="sr-only">Requests to replay</legend>
        {records.map((record) => {
          const { id, createdAt, keyName, clientName, tokensIn, tokensOut, costUsd } = record
          const on = chosen.includes(id)
          return (
            <label
              key={id}
              className="flex h-9 items-center gap-3 border-line border-b px-4 text-sm last:border-b-0 hover:bg-sunken has-disabled:opacity-60"
            >
              <input
                type="checkbox"
                className="size-3.5 shrink-0 accent-accent"
                checked={on}
                disabled={full && !on}
                onChange={({ target }) =>
                  onChange(target.checked ? [...chosen, id] : chosen.filter((other) => other !== id))
                }
              />
              <span className="w-28 shrink-0 text-ink-2 tabular-nums">
                {formatClock(createdAt, now, zone)}
              </span>
              <span className="min-w-0 flex-1 truncate font-medium">{getRequestName(record)}</span>
              <span className="w-40 shrink-0 truncate text-ink-2 max-lg:hidden">
                {clientName === null ? keyName : getToolName(clientName)}
              </span>
              <span className="w-44 shrink-0 text-right text-ink-2 tabular-nums max-md:hidden">
                {formatCount(tokensIn)} in, {formatCount(tokensOut)} out
              </span>
              <span className="w-24 shrink-0 text-right tabular-nums">
                {costUsd === null ? 'unknown' : <ColumnMoney usd={costUsd} />}
              </span>
            </label>
          )
        })}
      </fieldset>
    </Card>
  )
}
