import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { api } from '../../../renderer/data/api.ts'
import { useTimeZone } from '../../../renderer/data/hooks.ts'
import { queries } from '../../../renderer/data/queries.ts'
import { type Query, query, volatileQuery } from '../../../renderer/data/query-client.ts'
import { useUsageLabel } from '../../../renderer/data/usage-label.ts'
import { cn } from '../../../renderer/kit/cn.ts'
import { SegmentedControl } from '../../../renderer/kit/controls.tsx'
import { formatUsd } from '../../../renderer/kit/format.ts'
import { LoadError } from '../../../renderer/kit/notice.tsx'
import { Card, CardHeader } from '../../../renderer/kit/page.tsx'
import { useNow } from '../../../renderer/kit/use-now.ts'
import type {
  PlanHistory,
  PlanSharesQuery,
  PlanState,
  PlanWindow,
  PlanShares as Shares,
} from '../../../shared/api/plans.ts'
import { CAP_WARN_FRACTION } from '../../../shared/limits/limits.ts'
import { formatPlanTimes, formatRefusal, formatUsed } from '../../../shared/limits/plan-text.ts'

const DAY_MS = 86_400_000

const planStates = query(['plan-states'], async () => (await api('listPlanStates')).data)

/** The windows of the user's plans, with how full they were. Renders nothing without a plan. */
export function PlansCard() {
  const { data: plans = [] } = useQuery(planStates)
  if (plans.length === 0) return null
  return (
    <Card className="sm:col-span-2 xl:col-span-3">
      <CardHeader title="Plans">
        <Link href="/help/plans" className="target hover:text-ink hover:underline">
          How plans work
        </Link>
      </CardHeader>
      <div className="flex flex-col gap-5 px-4 pt-1 pb-4">
        {plans.map((plan) => (
          <Plan key={plan.id} plan={plan} />
        ))}
      </div>
    </Card>
  )
}

function history(id: string): Query<PlanHistory['data']> {
  return volatileQuery(['plan-states', id], async () => {
    const from = new Date(Date.now() - 7 * DAY_MS).toISOString()
    return (await api('getPlanHistory', { params: { id }, query: { from } })).data
  })
}

function Plan({ plan }: { plan: PlanState }) {
  const { data: points = [] } = useQuery(history(plan.id))
  const { data: settings } = useQuery(queries.settings)
  const now = useNow()
  const zone = useTimeZone()
  const { name, provider, windows, isExtra, refusedUntil } = plan
  const isWarning = isExtra || refusedUntil !== null
  return (
    <section aria-label={name}>
      <p className="mb-2 flex flex-wrap items-baseline gap-x-3">
        <Link href={`/requests?provider=${provider}`} className="font-medium hover:underline">
          {name}
        </Link>
        <span
          className={cn('text-sm first-letter:uppercase', isWarning ? 'font-medium text-bad' : 'text-ink-3')}
        >
          {refusedUntil === null ? describeExtra(plan) : formatRefusal(refusedUntil, now, zone)}
        </span>
        {refusedUntil !== null && settings?.planOverflow ? (
          <span className="text-sm text-ink-3">New sessions are billed by API key</span>
        ) : null}
      </p>
      <ul className="grid grid-cols-1 gap-x-6 gap-y-4 sm:grid-cols-2 xl:grid-cols-3">
        {windows.map((window) => (
          <Window
            key={window.name}
            plan={name}
            window={window}
            points={points.filter((point) => point.window === window.name)}
          />
        ))}
      </ul>
      <PlanShares plan={plan} />
    </section>
  )
}

function describeExtra({ extraUsage, isExtra }: PlanState): string {
  if (isExtra) return 'Extra usage is being charged'
  if (extraUsage === null) return 'Extra usage: unknown'
  return extraUsage.status?.startsWith('allowed') ? 'Extra usage: on' : 'Extra usage: off'
}

interface WindowProps {
  plan: string
  window: PlanWindow
  points: PlanHistory['data']
}

function Window({ plan, window, points }: WindowProps) {
  const now = useNow()
  const zone = useTimeZone()
  const { label, utilization, fullAt } = window
  const used = utilization ?? 0
  const tone = used >= 1 ? 'bg-bad-fill' : used >= CAP_WARN_FRACTION ? 'bg-warn-fill' : 'bg-accent'
  const times = formatPlanTimes(window, now, zone)
  return (
    <li>
      <p className="flex items-baseline gap-x-3">
        <span className="first-letter:uppercase">{label}</span>
        <span className={cn('ml-auto tabular-nums', utilization === null ? 'text-ink-3' : 'font-medium')}>
          {formatUsed(utilization)}
        </span>
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: a meter element cannot be styled alike in all browsers */}
      <div
        role="meter"
        aria-label={`${label} of ${plan}`}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.min(100, Math.round(used * 100))}
        aria-valuetext={formatUsed(utilization)}
        className="mt-1.5 h-1 overflow-hidden rounded-full bg-line"
      >
        <div className={cn('h-full', tone)} style={{ width: `${Math.min(1, used) * 100}%` }} />
      </div>
      <p className={cn('mt-1.5 min-h-4 text-xs', fullAt === null ? 'text-ink-3' : 'text-warn')}>
        {times === '' ? 'Reset time unknown' : times}
      </p>
      <Sparkline points={points} now={now} label={`${label} of ${plan} in the last seven days`} />
    </li>
  )
}

const WIDTH = 240
const HEIGHT = 32

/** The use of a window over the last seven days: it falls at once when the window resets. */
function Sparkline({ points, now, label }: { points: PlanHistory['data']; now: number; label: string }) {
  if (points.length < 2) return null
  const x = (at: string) => ((Date.parse(at) - now + 7 * DAY_MS) / (7 * DAY_MS)) * WIDTH
  const y = (utilization: number) => HEIGHT - 1 - Math.min(1, utilization) * (HEIGHT - 2)
  const line = points.map(({ at, utilization }) => `${x(at).toFixed(1)},${y(utilization).toFixed(1)}`)
  const most = Math.max(...points.map(({ utilization }) => utilization))
  return (
    <svg
      role="img"
      aria-label={`${label}: at most ${formatUsed(most)}`}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="mt-2 h-8 w-full text-accent"
    >
      <path d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} className="stroke-line" />
      <polyline
        points={line.join(' ')}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  )
}

type By = PlanSharesQuery['by']

const SPLITS = [
  { value: 'session', label: 'Session' },
  { value: 'tag', label: 'Project' },
  { value: 'key', label: 'Key' },
] as const satisfies { value: By; label: string }[]

const MAX_ROWS = 8

function shares(id: string, by: By): Query<Shares['data']> {
  return volatileQuery(
    ['plan-states', id, by],
    async () => (await api('getPlanShares', { params: { id }, query: { by } })).data,
  )
}

/** What the open windows of a plan were used for. It is read when it is opened, as it sums up requests. */
function PlanShares({ plan }: { plan: PlanState }) {
  const [open, setOpen] = useState(false)
  return (
    <details className="mt-3" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="w-fit select-none rounded-sm font-medium text-ink-2 text-sm hover:text-ink">
        Usage by session, project and key
      </summary>
      {open ? <Table plan={plan} /> : null}
    </details>
  )
}

function Table({ plan: { id, name, windows } }: { plan: PlanState }) {
  const [by, setBy] = useState<By>('session')
  const { data: rows, error, refetch } = useQuery(shares(id, by))
  const label = useUsageLabel(by)
  const shown = windows.filter(({ name: window }) =>
    rows?.some((row) => row.windows.some((each) => each.window === window)),
  )
  return (
    <div className="mt-2 flex flex-col gap-2">
      <div>
        <SegmentedControl label="Divide by" options={SPLITS} value={by} onChange={setBy} />
      </div>
      {error ? <LoadError error={error} onRetry={() => void refetch()} /> : null}
      {rows?.length === 0 ? (
        <p className="text-ink-3 text-sm">No request has used a window that is open now.</p>
      ) : null}
      {rows && rows.length > 0 ? (
        <table aria-label={`Usage of ${name}`} className="w-full max-w-3xl text-sm">
          <thead>
            <tr className="text-ink-3 text-xs">
              <th className="w-full py-1 text-left font-medium">
                {SPLITS.find(({ value }) => value === by)?.label}
              </th>
              {shown.map((window) => (
                <th
                  key={window.name}
                  className="whitespace-nowrap py-1 pl-6 text-right font-medium first-letter:uppercase"
                >
                  {window.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MAX_ROWS).map((row) => (
              <tr key={row.group} className="border-line border-t">
                <td className="max-w-0 truncate py-1.5">
                  {by === 'session' && row.group !== '' ? (
                    <Link href={`/sessions/${encodeURIComponent(row.group)}`} className="hover:underline">
                      {label(row.group, row.label)}
                    </Link>
                  ) : (
                    label(row.group, row.label)
                  )}
                </td>
                {shown.map(({ name: window }) => (
                  <Share key={window} row={row} window={window} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
      <p className="text-ink-3 text-xs">
        Divided by what the requests are worth. What is used outside of Tollgate is divided with it.
      </p>
    </div>
  )
}

function Share({ row, window }: { row: Shares['data'][number]; window: string }) {
  const own = row.windows.find((each) => each.window === window)
  return (
    <td className="py-1.5 pl-6 text-right tabular-nums" title={own && `worth ${formatUsd(own.worthUsd)}`}>
      {own === undefined ? '–' : formatUsed(own.share)}
    </td>
  )
}
