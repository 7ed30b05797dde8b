import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import type { RequestRecord } from '../../../../shared/api/requests.ts'
import { useTimeZone } from '../../../data/hooks.ts'
import { getRequestName } from '../../../data/request-name.ts'
import { getToolName } from '../../../data/tool-name.ts'
import { Button } from '../../../kit/button.tsx'
import { formatClock, formatCount } from '../../../kit/format.ts'
import { ColumnMoney } from '../../../kit/money.tsx'
import { Card, CardHeader } from '../../../kit/page.tsx'
import { useNow } from '../../../kit/use-now.ts'
import { MAX_REPLAYED } from '../../../parts/replay/stored-requests.ts'
import { useRequestBodies } from '../../../parts/requests/request-bodies.ts'
import { readTranscript } from '../../../parts/transcript/transcript.ts'

interface RequestChoiceProps {
  records: readonly RequestRecord[]
  chosen: readonly string[]
  onChange: (ids: string[]) => void
  disabled: boolean
  /** Which requests are offered. */
  filter: ReactNode
}

/** The stored requests, of which some are chosen. */
export function RequestChoice({ records, chosen, onChange, disabled, filter }: RequestChoiceProps) {
  const full = chosen.length >= MAX_REPLAYED
  return (
    <Card>
      <CardHeader title="Stored requests">
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {`${chosen.length} of at most ${MAX_REPLAYED} chosen`}
          <Button
            small
            disabled={disabled || records.length < 2}
            title="Some of each size, from the cheapest to the most expensive"
            onClick={() => onChange(chooseTypical(records, MAX_REPLAYED))}
          >
            Choose typical ones
          </Button>
        </span>
      </CardHeader>
      <div className="px-4 pb-3">{filter}</div>
      {records.length === 0 ? (
        <p className="border-line border-t px-4 py-10 text-center text-ink-3">
          No stored request matches this filter.
        </p>
      ) : (
        <fieldset disabled={disabled} className="max-h-96 min-w-0 overflow-y-auto border-line border-t">
          <legend className="sr-only">Requests to replay</legend>
          {records.map((record) => {
            const on = chosen.includes(record.id)
            return (
              <Choice
                key={record.id}
                record={record}
                on={on}
                disabled={full && !on}
                onToggle={(checked) =>
                  onChange(checked ? [...chosen, record.id] : chosen.filter((other) => other !== record.id))
                }
              />
            )
          })}
        </fieldset>
      )}
    </Card>
  )
}

/** Chooses up to `count` requests, evenly spread by cost, and returns their ids in the order of the list. */
export function chooseTypical(records: readonly RequestRecord[], count: number): string[] {
  const byCost = records.toSorted((a, b) => (a.costUsd ?? 0) - (b.costUsd ?? 0))
  const step = byCost.length / Math.min(count, byCost.length)
  const ids = new Set(
    Array.from(
      { length: Math.min(count, byCost.length) },
      (_, nr) => byCost[Math.floor((nr + 0.5) * step)]?.id,
    ),
  )
  return records.filter(({ id }) => ids.has(id)).map(({ id }) => id)
}

interface ChoiceProps {
  record: RequestRecord
  on: boolean
  disabled: boolean
  onToggle: (checked: boolean) => void
}

function Choice({ record, on, disabled, onToggle }: ChoiceProps) {
  const zone = useTimeZone()
  const now = useNow()
  const row = useRef<HTMLLabelElement>(null)
  const prompt = usePromptWords(record, useSeen(row))
  const { createdAt, keyName, clientName, tag, tokensIn, tokensOut, costUsd } = record
  const tool = clientName === null ? keyName : getToolName(clientName)
  return (
    <label
      ref={row}
      className="flex h-13 items-center gap-3 border-line border-b px-4 text-sm last:border-b-0 hover:bg-sunken has-disabled:opacity-60"
    >
      <input
        type="checkbox"
        className="size-3.5 shrink-0 accent-accent"
        checked={on}
        disabled={disabled}
        onChange={({ target }) => onToggle(target.checked)}
      />
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium text-base" title={prompt}>
          {prompt || getRequestName(record)}
        </span>
        <span className="block truncate text-ink-3 text-xs">
          {[prompt === '' ? null : getRequestName(record), tool, tag].filter(Boolean).join(' · ')}
        </span>
      </span>
      <span className="w-28 shrink-0 text-right text-ink-2 tabular-nums max-sm:hidden">
        {formatClock(createdAt, now, zone)}
      </span>
      <span className="w-44 shrink-0 text-right text-ink-2 tabular-nums max-lg:hidden">
        {`${formatCount(tokensIn)} in, ${formatCount(tokensOut)} out`}
      </span>
      <span className="w-24 shrink-0 text-right tabular-nums">
        {costUsd === null ? 'unknown' : <ColumnMoney usd={costUsd} />}
      </span>
    </label>
  )
}

/** Whether an element has been in sight: prompts can be large, and are read only then. */
function useSeen(element: { current: HTMLElement | null }): boolean {
  const [seen, setSeen] = useState(false)
  useEffect(() => {
    const { current } = element
    if (seen || current === null) return
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true)
    })
    observer.observe(current)
    return () => observer.disconnect()
  }, [element, seen])
  return seen
}

const MAX_LENGTH = 400

/** Blocks that agents put around the words of the user. */
const BLOCK = /<([a-z_-]+)>[\s\S]*?<\/\1>/g

/** The first words of what the user wrote last; blank until they are read, and if there are none. */
export function usePromptWords(record: RequestRecord, enabled = true): string {
  const { data } = useRequestBodies(record, enabled)
  return useMemo(() => {
    const messages = data ? (readTranscript(data)?.messages ?? []) : []
    const parts = messages.findLast(({ role }) => role === 'user')?.parts ?? []
    const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ')
    return (text.replace(BLOCK, ' ').trim() || text.trim()).slice(0, MAX_LENGTH)
  }, [data])
}
