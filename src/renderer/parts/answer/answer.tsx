import '../../kit/markdown.css'
import { CircleAlert, RefreshCw, Wrench } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import { Link } from 'wouter'
import { adviceFor } from '../../data/advice.ts'
import { Badge } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { CopyIconButton } from '../../kit/copy.tsx'
import { formatCount, formatDuration } from '../../kit/format.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { lazyView } from '../../kit/lazy-view.tsx'
import { Money } from '../../kit/money.tsx'
import type { Answer as AnswerRecord, ToolUse } from '../chats/chat.ts'
import { ErrorAction, useSolved } from '../limits/error-action.tsx'
import type { MarkdownProps } from './markdown.tsx'

/** Until it is loaded, the text of an answer is shown as it is. */
export const markdown = lazyView<MarkdownProps>(
  async () => (await import('./markdown.tsx')).Markdown,
  ({ text }) => <div className="markdown whitespace-pre-wrap">{text}</div>,
)

interface AnswerProps {
  answer: AnswerRecord
  /** Requests it again; null while that is not possible. */
  onRetry?: (() => void) | null
}

export const Answer = memo(function Answer({ answer, onRetry = null }: AnswerProps) {
  const streaming = answer.state === 'streaming'
  const empty = answer.text === '' && answer.toolUses.length === 0
  return (
    <article aria-label="Answer" aria-busy={streaming} className="min-w-0">
      {answer.reasoning ? (
        <details className="mb-2 rounded-lg border border-line bg-canvas px-3 py-2 text-ink-2">
          <summary className="select-none rounded-sm font-medium text-sm">Reasoning</summary>
          <p className="mt-1.5 whitespace-pre-wrap break-words text-sm">{answer.reasoning}</p>
        </details>
      ) : null}
      {answer.text ? <markdown.View text={answer.text} streaming={streaming} /> : null}
      {answer.toolUses.length > 0 ? <ToolUses uses={answer.toolUses} /> : null}
      {streaming && empty ? (
        <p className="animate-pulse text-ink-3">
          {answer.reasoning ? 'Reasoning…' : 'Waiting for the first token…'}
        </p>
      ) : null}
      {answer.state === 'done' && empty ? (
        <p className="text-ink-3">The model returned an empty answer.</p>
      ) : null}
      {answer.error ? <Failure error={answer.error} model={answer.model} onRetry={onRetry} /> : null}
      {streaming ? null : <Receipt answer={answer} onRetry={onRetry} />}
    </article>
  )
})

function Receipt({ answer, onRetry }: Required<AnswerProps>) {
  const { model, tokensIn, tokensOut, costUsd, costNote, requestId } = answer
  // A request that failed before its model worked.
  const wasFree = answer.state === 'failed' && !tokensIn && !tokensOut && !costUsd
  return (
    <footer className="mt-2 flex min-h-7 flex-wrap items-center gap-x-2.5 text-ink-3 text-sm">
      {answer.state === 'stopped' ? <span>Stopped</span> : null}
      {model ? <span className="font-medium text-ink-2">{model}</span> : null}
      {tokensIn !== null && tokensOut !== null && !wasFree ? (
        <span>{`${formatCount(tokensIn)} in, ${formatCount(tokensOut)} out`}</span>
      ) : null}
      {costUsd === null || wasFree ? null : (
        <span>
          <span className="sr-only">Cost </span>
          <Money usd={costUsd} className="text-ink-2" />
          {costNote ? ` ${costNote}` : ''}
        </span>
      )}
      <Times answer={answer} />
      {requestId ? (
        <Link href={`/requests/${requestId}`} className="hover:text-ink hover:underline">
          Receipt
        </Link>
      ) : null}
      <span className="flex items-center">
        {answer.text ? <CopyIconButton text={answer.text} label="Copy answer" /> : null}
        {/* Below a failure, "Try again" does the same. */}
        {onRetry && answer.state !== 'failed' ? (
          <IconButton label="Regenerate" icon={RefreshCw} small onClick={onRetry} />
        ) : null}
      </span>
    </footer>
  )
}

function Times({ answer: { ms, firstTokenMs, tokensPerSecond } }: { answer: AnswerRecord }) {
  if (ms === null) return null
  return (
    <>
      <span data-time title="Total time">
        {formatDuration(ms)}
      </span>
      {firstTokenMs === null ? null : (
        <span data-time title="Time to first token">
          {`first token ${formatDuration(firstTokenMs)}`}
        </span>
      )}
      {tokensPerSecond === null ? null : (
        <span data-time title="Output tokens per second">
          {`${formatCount(tokensPerSecond)} tokens/s`}
        </span>
      )}
    </>
  )
}

interface FailureProps {
  error: NonNullable<AnswerRecord['error']>
  model: string | null
  /** Requests the answer again; null while that is not possible. */
  onRetry: (() => void) | null
}

/** Why an answer failed, with what the user can do about it in place. */
function Failure({ error, model, onRetry }: FailureProps) {
  const solved = useSolved({ error, keyId: null, model, failedAt: null })
  const advice = solved ?? adviceFor(error, { keyId: null, model })?.text
  return (
    <div role="alert" className="mt-2 flex gap-2.5 rounded-lg bg-bad-soft px-3.5 py-2.5">
      <CircleAlert size={15} aria-hidden className="mt-0.5 shrink-0 text-bad" />
      <div className="min-w-0">
        <p className="break-words font-medium text-bad">{error.message}</p>
        {advice ? <p className="text-ink-2">{advice}</p> : null}
        <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-2">
          {solved === null ? <ErrorAction error={error} keyId={null} model={model} /> : null}
          {onRetry ? (
            <Button small icon={RefreshCw} onClick={onRetry}>
              Try again
            </Button>
          ) : null}
        </div>
      </div>
    </div>
  )
}

function ToolUses({ uses }: { uses: readonly ToolUse[] }) {
  return (
    <ul aria-label="Tool calls" className="mt-2 flex flex-col gap-2">
      {uses.map((use, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls are identified by their order
        <li key={index}>
          <ToolBox name={use.name} id={use.id}>
            <Json text={use.arguments} />
          </ToolBox>
        </li>
      ))}
    </ul>
  )
}

interface ToolBoxProps {
  name: string
  /** The id of the call. */
  id: string
  failed?: boolean
  /** The class of its background. */
  background?: string
  children: ReactNode
}

/** The call of a tool, or its result, below the tool's name. */
export function ToolBox({ name, id, failed = false, background = 'bg-surface', children }: ToolBoxProps) {
  return (
    <div className={cn('overflow-hidden rounded-lg border border-line', background)}>
      <p className="flex items-center gap-2 border-line border-b bg-canvas px-3 py-1.5 text-sm">
        <Wrench size={13} aria-hidden className="shrink-0 text-ink-3" />
        {name === '' ? null : <span className="truncate font-medium font-mono">{name}</span>}
        {failed ? <Badge tone="bad">Failed</Badge> : null}
        <span className="ml-auto truncate font-mono text-ink-3 text-xs">{id}</span>
      </p>
      {children}
    </div>
  )
}

/** A text with the line breaks of JSON, as far as it is JSON. */
export function Json({ text, className }: { text: string; className?: string }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable from the keyboard
      tabIndex={0}
      className={cn('overflow-auto px-3 py-2 font-mono text-sm -outline-offset-2', className)}
    >
      {formatJson(text)}
    </pre>
  )
}

/** Returns the text unchanged if it is not JSON: streaming arguments are incomplete, and results may be plain text. */
function formatJson(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}
