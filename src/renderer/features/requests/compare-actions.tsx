import { GitCompareArrows } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { create } from 'zustand'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { api } from '../../data/api.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { getRequestName } from '../../data/request-log.ts'
import { Button } from '../../kit/button.tsx'
import { formatMoment } from '../../kit/format.ts'
import type { MenuItem } from '../../kit/menu.tsx'
import { InlineError } from '../../kit/notice.tsx'
import { useSubmit } from '../../kit/use-submit.ts'

interface CompareChoice {
  /** The request that another one is to be compared with. */
  chosen: RequestRecord | null
  choose(chosen: RequestRecord | null): void
}

const useCompareChoice = create<CompareChoice>()((set) => ({
  chosen: null,
  choose: (chosen) => set({ chosen }),
}))

/** Whether there is something to compare: a rejected call has neither a model nor an answer. */
export function isComparable({ status }: RequestRecord): boolean {
  return status !== 'rejected'
}

/** The older one is the first. */
export function compareHref(one: RequestRecord, other: RequestRecord): string {
  const [before, after] = one.createdAt <= other.createdAt ? [one, other] : [other, one]
  return `/compare/${before.id}/${after.id}`
}

/** How the menu of a row compares its request: with the chosen one, or by choosing it. Null for one that cannot be compared. */
export function useCompareItem(): (record: RequestRecord) => MenuItem | null {
  const { chosen, choose } = useCompareChoice()
  const [, navigate] = useLocation()
  return (record) => {
    if (!isComparable(record)) return null
    if (chosen === null || chosen.id === record.id)
      return { label: 'Compare with…', onSelect: () => choose(record) }
    return {
      label: `Compare with ${getRequestName(chosen)}`,
      onSelect: () => {
        choose(null)
        navigate(compareHref(chosen, record))
      },
    }
  }
}

/** Says that a request is chosen, until another one is. */
export function ChosenForComparison() {
  const { chosen, choose } = useCompareChoice()
  const timeZone = useTimeZone()
  if (chosen === null) return null
  const name = <b className="font-medium">{getRequestName(chosen)}</b>
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b bg-accent-soft px-6 py-1.5 text-sm max-sm:px-4"
    >
      <span className="min-w-0 flex-1">
        Open the menu of another request (secondary button or menu key) to compare it with {name},{' '}
        {formatMoment(chosen.createdAt, timeZone)}.
      </span>
      <Button small onClick={() => choose(null)}>
        Cancel
      </Button>
    </div>
  )
}

/** Steps of a session that are searched for the one before. */
const STEPS = 50

/** Compares a request with the one before it in its session, or with one that is chosen in the list. */
export function CompareButtons({ record }: { record: RequestRecord }) {
  const [, navigate] = useLocation()
  const choose = useCompareChoice((store) => store.choose)
  const { pending, error, submit } = useSubmit()
  const [isFirst, setIsFirst] = useState(false)
  const { id, sessionId, createdAt, agent } = record
  const openPrevious = (session: string) =>
    submit(
      () => api('listRequests', { query: { session, to: createdAt, limit: STEPS } }),
      ({ data }) => {
        const previous = data.find(
          (each) => each.id !== id && each.status === 'succeeded' && each.agent?.id === agent?.id,
        )
        if (previous) navigate(compareHref(previous, record))
        else setIsFirst(true)
      },
    )
  return (
    <div className="flex flex-col items-start gap-2">
      <div className="flex flex-wrap gap-2">
        {sessionId === null || isFirst ? null : (
          <Button
            small
            icon={GitCompareArrows}
            pending={pending}
            onClick={() => void openPrevious(sessionId)}
          >
            Compare with the previous step
          </Button>
        )}
        <Button small onClick={() => choose(record)}>
          Compare with…
        </Button>
      </div>
      {isFirst ? <p className="text-ink-3 text-sm">There is no step before it in its session.</p> : null}
      <InlineError error={error} />
    </div>
  )
}
