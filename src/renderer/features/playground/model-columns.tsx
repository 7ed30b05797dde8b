// The head of each column of answers: its model, and what it has used so far.
import { CircleStop, Plus, X } from 'lucide-react'
import type { ModelRecord } from '../../../shared/api/models.ts'
import type { RunningRequest } from '../../../shared/api/requests.ts'
import { hasSamplePrices } from '../../../shared/api/terms.ts'
import { useRunning } from '../../data/running.ts'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { formatCount } from '../../kit/format.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { ModelPicker } from '../../kit/model-picker.tsx'
import { Money } from '../../kit/money.tsx'
import { type Answer, type Chat, findPath, getAnswer } from '../../parts/chats/chat.ts'
import { usePlayground } from '../../parts/chats/playground-store.ts'

const MAX_COLUMNS = 3

/** The columns of several answers side by side, which the heads share with the conversation. */
export const COLUMN_GRID =
  'mx-auto grid w-full max-w-[140rem] grid-cols-[repeat(auto-fit,minmax(12rem,1fr))] gap-5'

interface ModelColumnsProps {
  chat: Chat
  models: readonly ModelRecord[]
  chosen: readonly string[]
}

export function ModelColumns({ chat, models, chosen }: ModelColumnsProps) {
  const { streaming, change, stop } = usePlayground()
  const next = models.find(({ id }) => !chosen.includes(id))?.id ?? chosen[0]
  const several = chosen.length > 1
  const last = chat.exchanges.find(({ id }) => id === chat.tip)
  const addButton =
    chosen.length < MAX_COLUMNS && next ? (
      <Button
        variant="quiet"
        icon={Plus}
        disabled={streaming}
        onClick={() => change({ models: [...chosen, next] })}
      >
        Add model
      </Button>
    ) : null
  return (
    // The gutter of the conversation's scroll bar, so that each head is above its column.
    <div className="shrink-0 overflow-hidden border-line border-b px-6 py-2.5 [scrollbar-gutter:stable]">
      <div className={several ? cn(COLUMN_GRID, 'gap-y-1.5') : 'flex flex-wrap items-center gap-2'}>
        {chosen.map((id, column) => (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: a column has no identity other than its position
            key={column}
            className={cn(
              'flex min-w-0 items-center gap-3',
              several && 'sm:flex-col sm:items-stretch sm:gap-1',
            )}
          >
            <div className={cn('flex min-w-0 shrink-0 items-center gap-1', several && 'max-sm:max-w-[60%]')}>
              <ModelPicker
                label={column === 0 ? 'Model' : `Model ${column + 1}`}
                models={models}
                value={id}
                onChange={(other) => change({ models: chosen.with(column, other) })}
                className={several ? 'min-w-0 flex-1 max-sm:w-44' : 'w-44 max-w-full'}
              />
              {several && last && getAnswer(last, column)?.state === 'streaming' ? (
                <IconButton
                  small
                  icon={CircleStop}
                  label={`Stop model ${column + 1}`}
                  onClick={() => stop(column)}
                />
              ) : null}
              {several ? (
                <IconButton
                  small
                  icon={X}
                  label={`Remove model ${column + 1}`}
                  disabled={streaming}
                  onClick={() => change({ models: chosen.toSpliced(column, 1) })}
                />
              ) : null}
            </div>
            <p className="truncate text-ink-3 text-sm tabular-nums empty:hidden">
              <ColumnSum chat={chat} column={column} />
            </p>
          </div>
        ))}
        {several ? null : addButton}
      </div>
      {several && addButton ? <div className="mt-1">{addButton}</div> : null}
    </div>
  )
}

/** The tokens and cost of a column's answers, with what a running one has used so far. */
function ColumnSum({ chat, column }: { chat: Chat; column: number }) {
  const running = useRunning()
  const answers = findPath(chat).flatMap((exchange) => getAnswer(exchange, column) ?? [])
  const used = answers.map(
    (answer) => (answer.state === 'streaming' && running.find(({ id }) => id === answer.requestId)) || answer,
  )
  const tokens = used.reduce((sum, { tokensIn, tokensOut }) => sum + (tokensIn ?? 0) + (tokensOut ?? 0), 0)
  const costs = used.flatMap(({ costUsd }) => costUsd ?? [])
  if (tokens === 0) return null
  return (
    <>
      <span className={costs.length > 0 ? 'max-sm:hidden' : ''}>{`${formatCount(tokens, true)} tokens`}</span>
      {costs.length > 0 ? (
        <>
          <span className="max-sm:hidden"> · </span>
          <Money usd={costs.reduce((sum, usd) => sum + usd, 0)} className="text-ink-2" />
          {used.some(isSample) ? ' sample' : ''}
        </>
      ) : null}
    </>
  )
}

function isSample(used: Answer | RunningRequest): boolean {
  return 'provider' in used ? hasSamplePrices(used.provider) : used.costNote === 'sample'
}
