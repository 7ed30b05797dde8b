import { useQuery } from '@tanstack/react-query'
import { MessageSquareShare, Square } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'
import { Link, useLocation } from 'wouter'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { storesBodies } from '../../../shared/api/terms.ts'
import { api } from '../../data/api.ts'
import { queries } from '../../data/queries.ts'
import { stopRequest } from '../../data/running.ts'
import { Button } from '../../kit/button.tsx'
import { formatCount, formatDuration, formatUsd } from '../../kit/format.ts'
import { InlineError } from '../../kit/notice.tsx'
import { reportFailure } from '../../kit/show-error.ts'
import { useNow } from '../../kit/use-now.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { usePlayground } from '../../parts/chats/playground-store.ts'
import { toChat } from './recorded-chat.ts'

async function stop(id: string): Promise<void> {
  const { costUsd } = await stopRequest(id)
  toast.success(costUsd ? `Stopped. ${formatUsd(costUsd)} was charged.` : 'Stopped. Nothing was charged.')
}

/** In a row of the list, in which arrow keys move between rows: the panel of the request has the button for the keyboard. */
export function StopIcon({ id }: { id: string }) {
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-label="Stop this request"
      title="Stop this request"
      className="-my-1 inline-flex size-6 items-center justify-center rounded text-ink-3 hover:bg-bad-soft hover:text-bad"
      onClick={(event) => {
        event.stopPropagation()
        void reportFailure(stop(id))
      }}
    >
      <Square size={11} aria-hidden fill="currentColor" />
    </button>
  )
}

/** The progress of a running request, and a button that ends it. */
export function RunningNow({ record }: { record: RequestRecord }) {
  const { id, tokensIn, tokensOut, reservedUsd, timings } = record
  const { pending, error, submit } = useSubmit()
  const parts = [
    ...(timings.totalMs === null ? [] : [formatDuration(timings.totalMs)]),
    ...(tokensIn + tokensOut === 0
      ? []
      : [`${formatCount(tokensIn)} tokens in, ${formatCount(tokensOut)} out so far`]),
    ...(reservedUsd > 0 ? [`${formatUsd(reservedUsd)} reserved`] : []),
  ]
  const onStop = (button: HTMLElement) => {
    const panel = button.closest<HTMLElement>('[role=dialog]')
    void submit(async () => {
      await stop(id)
      // The button has unmounted and the focus would be lost with it.
      panel?.focus()
    })
  }
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg bg-sunken px-3.5 py-3">
      <p className="min-w-48 flex-1 tabular-nums">{parts.join(' · ') || 'Waiting for the provider.'}</p>
      <Button small icon={Square} pending={pending} onClick={({ currentTarget }) => onStop(currentTarget)}>
        Stop
      </Button>
      {error ? <p className="w-full text-bad text-sm">{error.message}</p> : null}
    </div>
  )
}

/** The actions on a stored prompt. */
export function RequestActions({ record }: { record: RequestRecord }) {
  const [, navigate] = useLocation()
  const { pending, error, submit } = useSubmit()
  const [unreadable, setUnreadable] = useState<string | null>(null)
  const open = () =>
    submit(
      () => api('getRequestBodies', { params: { id: record.id } }),
      (bodies) => {
        const read = toChat(bodies, record)
        if (!read.ok) return setUnreadable(read.message)
        usePlayground.getState().addChat(read.chat)
        navigate('/playground')
      },
    )
  return (
    <div className="flex flex-col items-start gap-2">
      <Button icon={MessageSquareShare} pending={pending} onClick={() => void open()}>
        Open in playground
      </Button>
      <InlineError error={error ?? unreadable} />
    </div>
  )
}

/** Whether prompt and answer are stored, and if not, a link to the setting. */
export function StoredBodies({ record }: { record: RequestRecord }) {
  const { data: settings } = useQuery(queries.settings)
  const now = useNow()
  if (record.bodiesKept) return 'stored'
  // Decided when the request ends.
  if (record.status === 'running') return '–'
  return (
    <>
      not stored, so the playground cannot open this request.{' '}
      <Link href="/settings" className="text-accent-ink underline">
        {settings && storesBodies(settings, now) ? 'See Settings' : 'Store them'}
      </Link>
    </>
  )
}
