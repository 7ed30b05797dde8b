import { useQuery } from '@tanstack/react-query'
import { t } from 'ttag'
import { Link } from 'wouter'
import type { PlanHistory, PlanState, PlanWindow } from '../../../shared/api/plans.ts'
import { CAP_WARN_FRACTION } from '../../../shared/limits/limits.ts'
import { formatPlanTimes, formatRefusal, formatUsed } from '../../../shared/limits/plan-text.ts'
import { api } from '../../data/api.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { queries } from '../../data/queries.ts'
import { type Query, volatileQuery } from '../../data/query-client.ts'
import { cn } from '../../kit/cn.ts'
import { Card, CardHeader } from '../../kit/page.tsx'
import { useNow } from '../../kit/use-now.ts'
import { PlanShares } from './plan-shares.tsx'

const DAY_MS = 86_400_000

/** The windows of the user's plans, with how full they were. Renders nothing without a plan. */
export function PlansCard() {
  const { data: plans = [] } = useQuery(queries.planStates)
  if (plans.length === 0) return null
  return (
    <Card className="sm:col-span-2 xl:col-span-3">
      <CardHeader title={t`Plans`}>
        <Link href="/help/plans" className="target hover:text-ink hover:underline">{t`How plans work`}</Link>
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
          <span className="text-sm text-ink-3">{t`New sessions are billed by API key`}</span>
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
  if (isExtra) return t`Extra usage is being charged`
  if (extraUsage === null) return t`Extra usage: unknown`
  return extraUsage.status?.startsWith('allowed') ? t`Extra usage: on` : t`Extra usage: off`
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
        aria-label={t`${label} of ${plan}`}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.min(100, Math.round(used * 100))}
        aria-valuetext={formatUsed(utilization)}
        className="mt-1.5 h-1 overflow-hidden rounded-full bg-line"
      >
        <div className={cn('h-full', tone)} style={{ width: `${Math.min(1, used) * 100}%` }} />
      </div>
      <p className={cn('mt-1.5 min-h-4 text-xs', fullAt === null ? 'text-ink-3' : 'text-warn')}>
        {times === '' ? t`Reset time unknown` : times}
      </p>
      <Sparkline points={points} now={now} label={t`${label} of ${plan} in the last seven days`} />
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
      aria-label={t`${label}: at most ${formatUsed(most)}`}
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
