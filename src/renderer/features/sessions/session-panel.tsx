import { useQuery } from '@tanstack/react-query'
import { Share } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { useEffect, useMemo, useState } from 'react'
import { Link } from 'wouter'
import { SessionBatches } from '../../../features/batches/view/session-batches.tsx'
import { PromptReport } from '../../../features/prompt-doctor/view/prompt-report.tsx'
import { type Branch, createAgentTree, getBranchKey, nameBranch } from '../../../shared/api/agent-tree.ts'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import type { Session, SessionStep } from '../../../shared/api/sessions.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { newestFirst, noFilter } from '../../data/request-filter.ts'
import { loadOlderRequests, requestLog } from '../../data/request-log.ts'
import { sessionQuery, sessionSteps } from '../../data/session-list.ts'
import { formatLength, nameSession } from '../../data/session-name.ts'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { chooseUsdDecimals, formatCount, formatDuration, formatQuantity } from '../../kit/format.ts'
import { ListPanel, PanelButtons } from '../../kit/list-panel.tsx'
import { Money, Uncharged } from '../../kit/money.tsx'
import { LoadError, QueryState, SkeletonRows } from '../../kit/notice.tsx'
import { moveFocus } from '../../kit/row-focus.ts'
import { useNow } from '../../kit/use-now.ts'
import { CopyLink } from '../../parts/controls/copy-link.tsx'
import { openLimitDialog } from '../../parts/limits/limit-dialog-state.ts'
import { ShareDialog, type SharedPicture } from '../../parts/share/share-dialog.tsx'
import { CostGrowth } from './cost-growth.tsx'
import { createSessionPicture } from './session-export.tsx'
import { SessionFacts } from './session-facts.tsx'
import { findRepeats, layoutSteps, type Step, StepRow, sumByModel } from './steps.tsx'

interface SessionPanelProps {
  /** Null while none is open. */
  id: string | null
  onClose: () => void
}

export function SessionPanel({ id, onClose }: SessionPanelProps) {
  const [wide, setWide] = useState(false)
  return (
    <ListPanel open={id !== null} wide={wide} width="w-[560px]" onClose={onClose}>
      <header className="flex h-14 shrink-0 items-center gap-1 border-line border-b pr-3 pl-5">
        <Dialog.Title className="mr-auto font-semibold text-lg">Session</Dialog.Title>
        {id === null ? null : <CopyLink key={id} kind="sessions" id={id} />}
        <PanelButtons wide={wide} onToggleWide={() => setWide(!wide)} onClose={onClose} />
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto [scrollbar-gutter:stable]">
        {id === null ? null : <Content key={id} id={id} />}
      </div>
    </ListPanel>
  )
}

function Content({ id }: { id: string }) {
  const reading = useQuery(sessionQuery(id))
  const { data: session } = reading
  const { steps, error: stepsError, retry } = useSteps(id)
  const { data: done } = useQuery({ ...sessionSteps(id), enabled: steps !== undefined })
  const [chosen, setChosen] = useState<string | null>(null)
  const branches = useMemo(() => createAgentTree((steps ?? []).map(({ record }) => record)), [steps])
  if (session === undefined) return <QueryState query={reading} rows={8} />
  return (
    <div className="flex flex-col gap-6 p-5">
      <Heading session={session} steps={steps} />
      <SessionFacts session={session} />
      <PromptReport of={{ session: id }} />
      <SessionBatches session={id} />
      {steps === undefined ? (
        stepsError ? (
          <LoadError error={stepsError} onRetry={retry} />
        ) : (
          <SkeletonRows rows={6} />
        )
      ) : (
        <>
          {branches.length > 1 ? (
            <AgentBranches branches={branches} chosen={chosen} onChoose={setChosen} />
          ) : null}
          <Steps
            key={chosen}
            session={session}
            done={done}
            steps={chosen === null ? steps : steps.filter(({ record }) => getBranchKey(record) === chosen)}
          />
          {session.prunedRequests === 0 || steps.length === 0 ? null : (
            <p className="-mt-4 text-ink-3 text-sm">
              {`${formatCount(session.prunedRequests)} older requests are no longer in the log. The figures above contain them.`}
            </p>
          )}
          <ModelCosts records={steps.map(({ record }) => record)} />
        </>
      )}
    </div>
  )
}

function Heading({ session, steps }: { session: Session; steps: readonly Step[] | undefined }) {
  const [shared, setShared] = useState<SharedPicture | null>(null)
  const now = useNow()
  const zone = useTimeZone()
  return (
    <div>
      <p className="break-words font-semibold text-lg">{nameSession(session, { now, zone })}</p>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button small onClick={() => openLimitDialog(session.keyId, { per: 'session' })}>
          Set a cap per session
        </Button>
        <Link
          href={`/requests?session=${encodeURIComponent(session.id)}`}
          className="inline-flex h-7 items-center rounded-md px-2 font-medium text-accent-ink text-sm hover:underline"
        >
          View requests
        </Link>
        <Link
          href={`/receipts/${session.id}`}
          className="inline-flex h-7 items-center rounded-md px-2 font-medium text-accent-ink text-sm hover:underline"
        >
          Receipt
        </Link>
        {steps && steps.length > 0 ? (
          <Button
            small
            variant="quiet"
            icon={Share}
            onClick={() => setShared(createSessionPicture(session, steps, { now, zone }))}
          >
            Share
          </Button>
        ) : null}
        {shared ? (
          <ShareDialog
            picture={shared}
            fileName={`tollgate-session-${session.startedAt.slice(0, 10)}`}
            onClose={() => setShared(null)}
          />
        ) : null}
      </div>
    </div>
  )
}

interface StepsProps {
  session: Session
  /** The actions of the steps, by the ids of their requests, as far as they are stored. */
  done: ReadonlyMap<string, SessionStep> | undefined
  steps: readonly Step[]
}

/** The requests of a session in time, and its growing cost. The arrow keys move between them, Enter opens one. */
function Steps({ session, done, steps }: StepsProps) {
  const [current, setCurrent] = useState<RequestRecord['id'] | null>(null)
  const repeats = useMemo(() => findRepeats(steps, done), [steps, done])
  const at = steps.findIndex(({ record }) => record.id === current)
  const tabStop = Math.max(0, at)

  if (steps.length === 0) {
    // One with batches alone has no steps.
    return session.prunedRequests === 0 ? null : (
      <p className="text-ink-2">Its requests are no longer in the log. Their cost stays in the totals.</p>
    )
  }
  return (
    <section>
      {/* Stays in sight, as it shows the cost up to the step that has the focus. */}
      <div className="sticky top-0 z-10 -mx-5 bg-raised px-5 pt-2">
        <h3 className="font-medium text-ink-3 text-xs">Cost over time</h3>
        <CostGrowth steps={steps} repeats={repeats} current={at < 0 ? null : at} />
      </div>
      <h3 className="mt-4 mb-1 font-medium text-ink-3 text-xs">
        {formatQuantity(steps.length, 'step')}
        {repeats.size === 0 ? null : `, ${formatCount(repeats.size)} of them repeated`}
      </h3>
      <ol
        aria-label="Steps"
        onKeyDown={(event) => moveFocus(event, 'a')}
        onPointerLeave={() => setCurrent(null)}
        className="-mx-2"
      >
        {steps.map((step, index) => (
          <li key={step.record.id}>
            {step.pauseMs === 0 ? null : (
              <p className="flex items-center gap-2 px-2 py-1 text-ink-3 text-xs before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
                {`${formatLength(step.pauseMs)} pause`}
              </p>
            )}
            <StepRow
              step={step}
              done={done?.get(step.record.id)}
              repeated={repeats.get(step.record.id)}
              sessionId={session.id}
              tabStop={index === tabStop}
              current={index === at}
              onCurrent={setCurrent}
            />
          </li>
        ))}
      </ol>
    </section>
  )
}

/** The cost of each model in a session, with its share. */
function ModelCosts({ records }: { records: readonly RequestRecord[] }) {
  const models = sumByModel(records)
  if (models.length === 0) return null
  const decimals = chooseUsdDecimals(models.map(({ costUsd }) => costUsd))
  const totalUsd = models.reduce((sum, { costUsd }) => sum + costUsd, 0)
  return (
    <section>
      <h3 className="mb-2 font-medium text-ink-3 text-xs">Cost by model</h3>
      <ul className="flex flex-col gap-3">
        {models.map(({ model, requests, tokens, costUsd }) => (
          <li key={model}>
            <p className="flex items-baseline gap-2">
              <span className="min-w-0 truncate font-medium">{model}</span>
              <span className="shrink-0 text-ink-3 text-sm">
                {`${formatQuantity(requests, 'request')}, ${formatCount(tokens, true)} tokens`}
              </span>
              <Money usd={costUsd} decimals={decimals} className="ml-auto shrink-0 tabular-nums" />
            </p>
            <div aria-hidden className="mt-1 h-1 overflow-hidden rounded-full bg-line">
              <div
                className="h-full bg-(--chart-1)"
                style={{ width: `${totalUsd > 0 ? (costUsd / totalUsd) * 100 : 0}%` }}
              />
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** All requests of a session, from the first to the last, as they arrive. Undefined until all have been read. */
function useSteps(sessionId: string) {
  // A batch is one node, however many requests it has.
  const listing = useMemo(() => newestFirst({ ...noFilter, session: sessionId, batch: '' }), [sessionId])
  const { data: log, error, refetch } = useQuery(requestLog(listing))
  const now = useNow()
  const { records, nextCursor, olderError } = log ?? {}
  useEffect(() => {
    if (nextCursor && !olderError) void loadOlderRequests(listing)
  }, [listing, nextCursor, olderError])
  const ordered = useMemo(() => records?.toReversed(), [records])
  const isRunning = ordered?.some(({ status }) => status === 'running') ?? false
  const until = isRunning ? now : 0
  const steps = useMemo(() => ordered && layoutSteps(ordered, until), [ordered, until])
  return {
    steps: nextCursor === null ? steps : undefined,
    error: error ?? olderError ?? null,
    retry: () => void (olderError ? loadOlderRequests(listing) : refetch()),
  }
}

/** How many tools of a branch are named. */
const MAX_TOOLS = 3

interface AgentBranchesProps {
  branches: readonly Branch[]
  /** The branch whose steps are shown; null for all. */
  chosen: string | null
  onChoose: (key: string | null) => void
}

/** The main agent of a session and the agents below it, with what each has used. A press shows the steps of one. */
function AgentBranches({ branches, chosen, onChoose }: AgentBranchesProps) {
  const decimals = chooseUsdDecimals(branches.map(({ costUsd }) => costUsd))
  return (
    <section>
      <h3 className="mb-1 font-medium text-ink-3 text-xs">Agents</h3>
      <ul className="-mx-2 flex flex-col">
        {branches.map((branch) => (
          <li key={branch.key}>
            <button
              type="button"
              aria-pressed={branch.key === chosen}
              onClick={() => onChoose(branch.key === chosen ? null : branch.key)}
              className={cn(
                'grid w-full grid-cols-[minmax(0,1fr)_auto] gap-x-3 rounded-md px-2 py-1.5 text-left hover:bg-sunken',
                branch.key === chosen && 'bg-sunken',
              )}
              style={{ paddingLeft: `${0.5 + Math.min(branch.depth, 6) * 1.25}rem` }}
            >
              <span className="truncate font-medium">
                <bdi>{nameBranch(branch)}</bdi>
              </span>
              <span className="whitespace-nowrap text-right">
                <Money usd={branch.costUsd} decimals={decimals} />{' '}
                <Uncharged sums={branch} className="text-ink-3 text-xs" />
              </span>
              <span className="col-span-2 truncate text-ink-3 text-xs">{describe(branch)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** `12 requests · 48.1k tokens · 1 min in models · 3.4 s in tools (Bash 2.1 s, Read 1.3 s)`. */
function describe({ requests, tokens, modelMs, toolMs, tools }: Branch): string {
  const named = tools.slice(0, MAX_TOOLS).map(([name, ms]) => `${name} ${formatDuration(ms)}`)
  if (tools.length > MAX_TOOLS) named.push('…')
  return [
    formatQuantity(requests, 'request'),
    `${formatCount(tokens, true)} tokens`,
    `${formatDuration(modelMs)} in models`,
    ...(toolMs > 0 ? [`${formatDuration(toolMs)} in tools (${named.join(', ')})`] : []),
  ].join(' · ')
}
