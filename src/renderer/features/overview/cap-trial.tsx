// What a daily limit would have stopped that is tried in the chart, and a button that sets it.

import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { RehearsedStop } from '../../../shared/api/rehearsal.ts'
import { queries } from '../../data/queries.ts'
import { requestsHref } from '../../data/request-link.ts'
import { saveWithUndo } from '../../data/save-with-undo.ts'
import { Button } from '../../kit/button.tsx'
import { formatDay, formatUsd } from '../../kit/format.ts'
import { InlineError } from '../../kit/notice.tsx'
import { useNow } from '../../kit/use-now.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { describeListed } from '../../parts/limits/limit-form.tsx'
import { describeRehearsal, useRehearsal } from '../../parts/limits/use-rehearsal.ts'
import { DAILY } from './use-cap-line.ts'

export interface CapTrialProps {
  usd: number
  onEnd: () => void
}

/** More days than these are counted, not named. */
const MAX_DAYS = 5

export function CapTrial({ usd, onEnd }: CapTrialProps) {
  const { data: account } = useQuery(queries.account)
  const now = useNow()
  const { pending, error, submit } = useSubmit()
  const [result] = useRehearsal(null, [{ ...DAILY, usd }]) ?? []
  if (!account) return null
  const edited = describeListed(undefined, account, DAILY, now)
  const set = () =>
    submit(async () => {
      await saveWithUndo({
        message: `All keys together may spend ${formatUsd(usd)} per day.`,
        save: async () => void (await edited.save(usd)),
        undo: async () => void (await edited.save(edited.limitUsd)),
      })
      onEnd()
    })
  return (
    <section
      aria-label="Trial of a daily limit"
      className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-line border-t px-4 py-2 text-sm"
    >
      <div className="min-w-48 flex-1">
        <p aria-live="polite">
          <span className="font-medium">{`${formatUsd(usd)} per day for all keys.`}</span>{' '}
          {result ? describeRehearsal(result, { ...DAILY, who: 'your keys' }) : '…'}
        </p>
        {result && result.stops.length > 0 ? (
          <StoppedDays stops={result.stops} timeZone={account.timeZone} now={now} />
        ) : null}
        {error ? <InlineError error={error} /> : null}
      </div>
      <Button small onClick={onEnd}>
        Cancel
      </Button>
      <Button small variant="primary" pending={pending} needsGateway onClick={() => void set()}>
        Set limit
      </Button>
    </section>
  )
}

interface StoppedDaysProps {
  stops: readonly RehearsedStop[]
  timeZone: string
  now: number
}

/** Links to the requests that a limit would have stopped, by day; the most expensive days where there are many. */
function StoppedDays({ stops, timeZone, now }: StoppedDaysProps) {
  const shown = stops
    .toSorted((a, b) => b.preventedUsd - a.preventedUsd)
    .slice(0, MAX_DAYS)
    .toSorted((a, b) => a.from.localeCompare(b.from))
  return (
    <ul className="flex flex-wrap gap-x-3 text-ink-3">
      {shown.map(({ from, to, stoppedAt, preventedUsd }) => {
        const href = requestsHref({}, { startMs: Date.parse(stoppedAt), endMs: Date.parse(to) })
        const text = `${formatDay(from, now, timeZone)}, ${formatUsd(preventedUsd)} less`
        return (
          <li key={from}>
            {href === null ? (
              text
            ) : (
              <Link
                href={href}
                title="Show the requests that would have been stopped"
                className="text-accent-ink"
              >
                {text}
              </Link>
            )}
          </li>
        )
      })}
      {stops.length > shown.length ? <li>{`${stops.length - shown.length} more days`}</li> : null}
    </ul>
  )
}
