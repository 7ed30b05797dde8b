// Owns one answer: its text as it streams, what it cost, or why it failed.
import { CircleAlert } from 'lucide-react'
import { memo } from 'react'
import { Link } from 'wouter'
import { adviceFor } from '../../advice.ts'
import { CopyIcon } from '../../components/copy.tsx'
import { Money } from '../../components/money.tsx'
import { formatCount, formatDuration } from '../../format.ts'
import type { Turn } from '../../stores/chats-kept.ts'
import { Markdown } from './markdown.tsx'

export const Answer = memo(function Answer({ turn }: { turn: Turn }) {
  return (
    <article aria-label="Answer" aria-busy={turn.state === 'streaming'} className="min-w-0">
      {turn.text ? <Markdown text={turn.text} streaming={turn.state === 'streaming'} /> : null}
      {turn.state === 'streaming' && turn.text === '' ? (
        <p className="animate-pulse text-ink-3">Waiting for the first token…</p>
      ) : null}
      {turn.state === 'done' && turn.text === '' ? (
        <p className="text-ink-3">The model answered with no text.</p>
      ) : null}
      {turn.error ? <Failure error={turn.error} /> : null}
      {turn.state === 'streaming' ? null : <Receipt turn={turn} />}
    </article>
  )
})

function Receipt({ turn }: { turn: Turn }) {
  const { model, tokensIn, tokensOut, costUsd, costNote, ms, requestId } = turn
  return (
    <footer className="mt-2 flex min-h-7 flex-wrap items-center gap-x-2 text-ink-3 text-sm">
      {turn.state === 'stopped' ? <span>Stopped</span> : null}
      {model ? <span className="font-medium text-ink-2">{model}</span> : null}
      {tokensIn !== null && tokensOut !== null ? (
        <span>
          {formatCount(tokensIn)} in, {formatCount(tokensOut)} out
        </span>
      ) : null}
      {costUsd === null ? null : (
        <span>
          <span className="sr-only">Cost </span>
          <Money usd={costUsd} className="text-ink-2" />
          {costNote ? ` ${costNote}` : ''}
        </span>
      )}
      {ms === null ? null : <span>{formatDuration(ms)}</span>}
      {requestId ? (
        <Link href={`/requests/${requestId}`} className="hover:text-ink hover:underline">
          Receipt
        </Link>
      ) : null}
      {turn.text ? <CopyIcon text={turn.text} label="Copy answer" /> : null}
    </footer>
  )
}

function Failure({ error }: { error: NonNullable<Turn['error']> }) {
  const advice = adviceFor(error)
  return (
    <div role="alert" className="mt-2 flex gap-2.5 rounded-lg bg-bad-soft px-3.5 py-2.5">
      <CircleAlert size={15} aria-hidden className="mt-0.5 shrink-0 text-bad" />
      <div className="min-w-0">
        <p className="break-words font-medium text-bad">{error.message}</p>
        {advice ? (
          <p className="text-ink-2">
            {advice.text}{' '}
            {advice.to ? (
              <Link href={advice.to.href} className="font-medium text-accent-ink hover:underline">
                {advice.to.label}
              </Link>
            ) : null}
          </p>
        ) : null}
      </div>
    </div>
  )
}
