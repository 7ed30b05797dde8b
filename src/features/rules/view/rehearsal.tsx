// What a rule or a limit would have done to the requests of the last 30 days, before it is in force.
import { useQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { queries } from '../../../renderer/data/queries.ts'
import { getToolName } from '../../../renderer/data/session-name.ts'
import { Button } from '../../../renderer/kit/button.tsx'
import { cn } from '../../../renderer/kit/cn.ts'
import { Switch } from '../../../renderer/kit/controls.tsx'
import { DataTable } from '../../../renderer/kit/data-table.tsx'
import { Dialog, DialogActions } from '../../../renderer/kit/dialog.tsx'
import {
  chooseUsdDecimals,
  formatCount,
  formatDay,
  formatMoment,
  formatQuantity,
  formatTime,
  formatUsd,
} from '../../../renderer/kit/format.ts'
import { ColumnMoney } from '../../../renderer/kit/money.tsx'
import { EmptyState, ErrorText, SkeletonRows } from '../../../renderer/kit/notice.tsx'
import type { Column } from '../../../renderer/kit/table-order.ts'
import { useNow } from '../../../renderer/kit/use-now.ts'
import { useSubmit } from '../../../renderer/kit/use-submit.ts'
import { getHistoryToolName } from '../../../shared/api/history-tools.ts'
import type { Rehearsal, RehearsedRequest } from '../api/rehearsal.ts'
import { describeRule } from '../api/rules.ts'
import {
  describeRehearsal,
  explainRehearsal,
  getRehearsedKind,
  REHEARSED_VERBS,
  type RehearsedKind,
} from '../api/texts.ts'
import { useRuleNames } from './rules.ts'
import { describeLimit, enableTrial, type Trial, useRehearsal } from './trials.ts'

interface RehearsedProps {
  /** Null while there is nothing to try. */
  trial: Trial | null
  /** By default, imported calls count. */
  history?: boolean
  /** The trial was put in force, or left for one of the requests. */
  onDone?: () => void
  className?: string
}

/** The effect in the past in one sentence, which leads to the requests. */
export function Rehearsed({ trial, history = true, onDone, className }: RehearsedProps) {
  const [isOpen, setOpen] = useState(false)
  const { data, error } = useRehearsal(trial, history)
  if (trial === null) return null
  if (error) return <ErrorText error={error} />
  return (
    <div className={cn('text-ink-3 text-sm', className)}>
      <span role="status">
        {data
          ? [describeRehearsal(data, getRehearsedKind(trial)), ...explainRehearsal(data)].join(' ')
          : 'Trying it on the last 30 days…'}
      </span>{' '}
      {data && data.changed > 0 ? (
        <button
          type="button"
          className="target rounded-sm font-medium text-accent-ink hover:underline"
          onClick={() => setOpen(true)}
        >
          {`Show ${data.changed === 1 ? 'it' : 'them'}`}
        </button>
      ) : null}
      {isOpen ? (
        <RehearsalDialog
          trial={trial}
          history={history}
          onClose={() => setOpen(false)}
          onDone={() => onDone?.()}
        />
      ) : null}
    </div>
  )
}

interface RehearsalDialogProps {
  trial: Trial
  history?: boolean
  onClose: () => void
  onDone?: () => void
}

/** The requests that a trial would have changed, with the button that puts it in force. */
export function RehearsalDialog({ trial, history = true, onClose, onDone }: RehearsalDialogProps) {
  const [withHistory, setWithHistory] = useState(history)
  const { data, error } = useRehearsal(trial, withHistory)
  const { pending, error: failure, submit } = useSubmit()
  const kind = getRehearsedKind(trial)
  const isRule = 'rule' in trial
  const names = useRuleNames()
  const imports = useQuery(queries.history).data?.imported ?? []
  const hasImports = imports.some(({ calls }) => calls > 0) && (isRule || trial.keyId === null)
  const leave = () => {
    onClose()
    onDone?.()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={`The last 30 days with this ${isRule ? 'rule' : 'limit'}`}
      description={isRule ? describeRule(trial.rule, names) : describeLimit(trial.limit)}
      large
    >
      <div className="flex min-h-full flex-col">
        <div className="flex flex-1 flex-col gap-4">
          <ErrorText error={error} />
          {data && data.requests > 0 ? <Figures rehearsal={data} kind={kind} /> : null}
          {data ? <Requests rehearsal={data} kind={kind} onLeave={leave} /> : null}
          {data || error ? null : <SkeletonRows rows={8} />}
        </div>
        <DialogActions above={failure ? <ErrorText error={failure} /> : undefined}>
          {hasImports ? (
            <div className="mr-auto flex items-center gap-2 text-ink-2 text-sm">
              <Switch label="Imported calls" on={withHistory} onChange={setWithHistory} />
              <span aria-hidden>Imported calls</span>
            </div>
          ) : null}
          <Button onClick={onClose}>Close</Button>
          {isRule && trial.rule.mode === 'on' ? null : (
            <Button
              variant="primary"
              pending={pending}
              needsGateway
              onClick={() => void submit(() => enableTrial(trial), leave)}
            >
              {isRule ? 'Turn on' : 'Set limit'}
            </Button>
          )}
        </DialogActions>
      </div>
    </Dialog>
  )
}

interface RehearsalProps {
  rehearsal: Rehearsal
  kind: RehearsedKind
}

function Figures({ rehearsal, kind }: RehearsalProps) {
  const { requests, imported, changed, days, firstAt, timeZone, beforeUsd, afterUsd } = rehearsal
  const now = useNow()
  const decimals = chooseUsdDecimals([beforeUsd, afterUsd])
  const savedUsd = beforeUsd - afterUsd
  const verb = REHEARSED_VERBS[kind]
  return (
    <div>
      <dl className="grid grid-cols-4 gap-px overflow-hidden rounded-lg border border-line bg-line max-sm:grid-cols-2">
        <Figure
          name={`${verb.charAt(0).toUpperCase()}${verb.slice(1)}`}
          note={`of ${formatQuantity(requests, 'request')}${imported > 0 ? `, ${formatCount(imported)} imported` : ''}`}
        >
          {formatCount(changed)}
        </Figure>
        <Figure name="First" note={firstAt === null ? '' : `on ${formatQuantity(days, 'day')}`}>
          {firstAt === null ? '–' : `${formatDay(firstAt, now, timeZone)}, ${formatTime(firstAt, timeZone)}`}
        </Figure>
        <Figure name="Before" note="as it was">
          {formatUsd(beforeUsd, decimals)}
        </Figure>
        <Figure
          name="After"
          note={`${formatUsd(Math.abs(savedUsd))} ${savedUsd < 0 ? 'more' : 'less'}${kind === 'change' ? ' at the same tokens' : ''}`}
        >
          {formatUsd(afterUsd, decimals)}
        </Figure>
      </dl>
      <p className="mt-2 text-ink-3 text-sm empty:hidden">{explainRehearsal(rehearsal).join(' ')}</p>
    </div>
  )
}

function Figure({ name, note, children }: { name: string; note: string; children: ReactNode }) {
  return (
    <div className="bg-raised px-3.5 py-2.5">
      <dt className="text-ink-3 text-xs">{name}</dt>
      <dd className="font-medium tabular-nums">{children}</dd>
      <dd className="text-ink-3 text-xs">{note}</dd>
    </div>
  )
}

function Requests({ rehearsal, kind, onLeave }: RehearsalProps & { onLeave: () => void }) {
  const { data, changed, requests, timeZone } = rehearsal
  const now = useNow()
  if (data.length === 0)
    return (
      <EmptyState
        icon={History}
        title={requests === 0 ? 'Nothing to try it on' : 'Nothing would have changed'}
      >
        {requests === 0
          ? 'There were no such requests in the last 30 days. Logs of agents can be imported in Settings.'
          : `It would have ${REHEARSED_VERBS[kind]} none of ${formatQuantity(requests, 'request')}.`}
      </EmptyState>
    )
  const more = changed - data.length
  return (
    <div>
      <DataTable
        label="Requests"
        look="part"
        columns={createColumns(kind, (at) => `${formatDay(at, now, timeZone)}, ${formatTime(at, timeZone)}`, {
          timeZone,
          onLeave,
        })}
        rows={data}
        getId={(row) => `${row.requestId ?? row.importedSession} ${row.at} ${row.costUsd}`}
        classes={{ table: 'text-sm', cell: 'truncate' }}
      />
      {more > 0 ? (
        <p className="py-3 text-ink-3 text-sm">{`And ${formatCount(more)} more, with smaller differences.`}</p>
      ) : null}
    </div>
  )
}

const OUTCOMES = { change: 'refused', stop: 'stopped', ask: 'asked', warn: '' } as const

function createColumns(
  kind: RehearsalProps['kind'],
  formatAt: (at: string) => string,
  { timeZone, onLeave }: { timeZone: string; onLeave: () => void },
): Column<RehearsedRequest>[] {
  return [
    {
      id: 'time',
      head: 'Time',
      isHeader: true,
      headClass: 'w-32',
      title: ({ at }) => formatMoment(at, timeZone),
      cell: (row) => (
        <Link href={getHref(row)} onClick={onLeave} className="text-accent-ink hover:underline">
          {formatAt(row.at)}
        </Link>
      ),
    },
    {
      id: 'program',
      head: 'Program',
      headClass: 'w-40',
      className: 'max-sm:hidden',
      title: ({ program }) => program,
      cell: ({ program, requestId }) =>
        requestId === null ? (
          <>
            {getHistoryToolName(program)} <span className="text-ink-3">· imported</span>
          </>
        ) : (
          getToolName(program) || 'Unknown'
        ),
    },
    {
      id: 'model',
      head: 'Model',
      title: ({ askedModel, model }) => `${askedModel} → ${model ?? OUTCOMES[kind]}`,
      cell: ({ askedModel, model }) =>
        model === askedModel ? askedModel : `${askedModel} → ${model ?? OUTCOMES[kind]}`,
    },
    {
      id: 'before',
      head: 'Before',
      right: true,
      headClass: 'w-28',
      cell: ({ costUsd }) => (costUsd === null ? '?' : <ColumnMoney usd={costUsd} />),
    },
    {
      id: 'after',
      head: 'After',
      right: true,
      headClass: 'w-28',
      cell: ({ model, costUsd, savedUsd, rewriteUsd }) =>
        model === null ? (
          '–'
        ) : costUsd === null || savedUsd === null ? (
          '?'
        ) : (
          <ColumnMoney usd={costUsd - savedUsd + (rewriteUsd ?? 0)} />
        ),
    },
  ]
}

/** Its record; of an imported one, its session. */
function getHref({ requestId, importedSession }: RehearsedRequest): string {
  if (requestId !== null) return `/requests/${requestId}`
  return `/sessions?origin=import&session=${encodeURIComponent(importedSession ?? '')}`
}
