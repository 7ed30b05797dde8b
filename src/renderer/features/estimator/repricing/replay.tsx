import { useQuery } from '@tanstack/react-query'
import { FileX2 } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import type { RequestRecord } from '../../../../shared/api/requests.ts'
import { storesBodies } from '../../../../shared/api/terms.ts'
import { streamReplay } from '../../../data/chat-stream.ts'
import { queries } from '../../../data/queries.ts'
import { getRequestName } from '../../../data/request-name.ts'
import { toApiError } from '../../../kit/api-error.ts'
import { Money } from '../../../kit/money.tsx'
import { EmptyState, LoadError, SkeletonRows } from '../../../kit/notice.tsx'
import { Card } from '../../../kit/page.tsx'
import { useNow } from '../../../kit/use-now.ts'
import { Answer } from '../../../parts/answer/answer.tsx'
import { applyParts, interruptAnswer } from '../../../parts/chats/answer-stream.ts'
import { type Answer as AnswerRecord, newAnswer } from '../../../parts/chats/chat-storage.ts'
import { compareAnswers } from '../../../parts/chats/compare-answers.ts'
import { createPause, PartBatch } from '../../../parts/chats/part-batch.ts'
import { SplitFilterBar } from '../../../parts/filters/filter-fields.tsx'
import {
  type ReplayAddress,
  readReplayAddress,
  writeReplayAddress,
} from '../../../parts/replay/replay-address.ts'
import { useReplayCosts, useStoredRequests } from '../../../parts/replay/stored-requests.ts'
import { REPRICING_FILTERS } from '../../../parts/replay/use-repricing.ts'
import { TurnOnStorage } from '../../../parts/requests/not-stored.tsx'
import { BlindResult, type BlindTest, Judge, useBlindTest } from './blind.tsx'
import { ReplaySetup } from './replay-setup.tsx'
import { RequestChoice, usePromptWords } from './request-choice.tsx'

/** Sends stored requests to two models, and shows the answers side by side. */
export function Replay() {
  const [search] = useSearchParams()
  const [, navigate] = useLocation()
  const address = useMemo(() => readReplayAddress(search), [search])
  const { requests, models, keyId } = address
  const stored = useStoredRequests(requests, address.filter)
  const costs = useReplayCosts(requests)
  const replay = useReplay()
  const blind = useBlindTest()
  const [isBlind, setBlind] = useState(false)
  const change = (part: Partial<ReplayAddress>) =>
    navigate(writeReplayAddress({ ...address, ...part }), { replace: true })

  // A first request, and the model that served it next to the other, so that nothing has to be chosen to begin.
  const [first] = stored.records
  const suggested = requests.length === 0 ? first : undefined
  const ownModel = first?.model ?? ''
  useEffect(() => {
    if (!suggested) return
    const [left, right] = models
    navigate(
      writeReplayAddress({ ...address, requests: [suggested.id], models: [left || ownModel, right] }),
      { replace: true },
    )
  }, [suggested, ownModel, models, address, navigate])

  if (stored.error) return <LoadError error={stored.error} onRetry={stored.refetch} />
  if (stored.isPending && stored.records.length === 0) return <SkeletonRows rows={8} />
  const isFiltered = Object.keys(address.filter).length > 0
  if (stored.records.length === 0 && !isFiltered) return <NothingStored />
  const replayed = stored.records.filter(({ id }) => replay.answers.has(id))
  const isOver = replayed.length > 0 && !replay.running
  const isJudged = isOver && replayed.every(({ id }) => blind.verdicts.has(id))
  const isHidden = isBlind && !isJudged
  const run = () => {
    blind.restart(requests)
    void replay.run({ requests, models, keyId })
  }
  return (
    <div className="flex flex-col gap-4">
      <ReplaySetup
        address={address}
        onChange={change}
        costs={costs}
        running={replay.running}
        blind={isBlind}
        onBlind={setBlind}
        onRun={run}
        onStop={replay.stop}
      />
      <RequestChoice
        records={stored.records}
        chosen={requests}
        onChange={(ids) => change({ requests: ids })}
        disabled={replay.running}
        filter={
          <SplitFilterBar
            look="plain"
            names={REPRICING_FILTERS}
            filter={address.filter}
            onChange={(filter) => change({ filter })}
          />
        }
      />
      {isBlind && isJudged ? (
        <BlindResult
          models={models}
          verdicts={replayed.map(({ id }) => blind.verdicts.get(id) ?? null)}
          answers={[0, 1].map((column) =>
            replayed.flatMap(
              ({ id }) => replay.answers.get(id)?.filter((one) => one.column === column) ?? [],
            ),
          )}
        />
      ) : null}
      {replayed.map((record) => (
        <ReplayedRequest
          key={record.id}
          record={record}
          answers={replay.answers.get(record.id) ?? []}
          blind={isBlind ? blind : null}
          hidden={isHidden}
        />
      ))}
    </div>
  )
}

function NothingStored() {
  const { data: settings } = useQuery(queries.settings)
  const now = useNow()
  return (
    <Card>
      {settings && storesBodies(settings, now) ? (
        <EmptyState icon={FileX2} title="No chat is stored yet">
          Storage is on. New chats appear here once they have been answered.
        </EmptyState>
      ) : (
        <TurnOnStorage title="No prompt is stored">
          Storage is off. When you turn it on, the prompts of new requests are kept on this computer and can
          be replayed here.
        </TurnOnStorage>
      )}
    </Card>
  )
}

interface ReplayedRequestProps {
  record: RequestRecord
  answers: readonly AnswerRecord[]
  /** Null unless the answers are judged blind. */
  blind: BlindTest | null
  /** Whether it is not shown yet which model wrote which. */
  hidden: boolean
}

/** A request with its answers side by side. */
function ReplayedRequest({ record, answers, blind, hidden }: ReplayedRequestProps) {
  const comparison = hidden ? null : compareAnswers(answers)
  const order = blind?.isSwapped(record.id) ? ([1, 0] as const) : ([0, 1] as const)
  const shown = order.flatMap((column) => answers.filter((answer) => answer.column === column))
  return (
    <Card>
      <header className="flex flex-wrap items-baseline gap-x-3 gap-y-1 border-line border-b px-4 py-2.5">
        <Prompt record={record} />
        <span className="text-ink-3 text-sm">
          <Link href={`/requests/${record.id}`} className="hover:text-ink hover:underline">
            {getRequestName(record)}
          </Link>
          {record.costUsd === null ? null : (
            <>
              {', '}
              <Money usd={record.costUsd} /> then
            </>
          )}
        </span>
      </header>
      <div className="grid divide-line max-md:divide-y md:grid-cols-2 md:divide-x">
        {shown.map((answer, index) => {
          const letter = index === 0 ? 'A' : 'B'
          const name = hidden ? `Answer ${letter}` : blind ? `${letter}: ${answer.model}` : answer.model
          return (
            <section key={answer.id} aria-label={name ?? undefined} className="min-w-0 p-4">
              <h3 className="mb-2 truncate font-medium font-mono text-sm">{name}</h3>
              <Answer answer={answer} anonymous={hidden} />
            </section>
          )
        })}
      </div>
      {blind ? (
        <Judge
          verdict={blind.verdicts.get(record.id)}
          order={order}
          disabled={!hidden || answers.some(({ state }) => state === 'streaming')}
          onJudge={(verdict) => blind.judge(record.id, verdict)}
        />
      ) : null}
      {comparison ? (
        <p role="status" className="border-line border-t px-4 py-2.5 font-medium text-sm">
          {comparison}
        </p>
      ) : null}
    </Card>
  )
}

function Prompt({ record }: { record: RequestRecord }) {
  const text = usePromptWords(record)
  return (
    <p className="line-clamp-2 min-w-0 flex-1 basis-80 break-words font-medium" title={text}>
      {text || 'Stored request'}
    </p>
  )
}

interface ReplayPlan {
  requests: readonly string[]
  models: readonly string[]
  /** Null for the playground's. */
  keyId: string | null
}

/** The answers to a request, one for each model, as far as they were asked for. */
type Answers = ReadonlyMap<string, readonly AnswerRecord[]>

const NONE: Answers = new Map()

/** Replays requests one after the other, each on all models in parallel, and stops when the view is left. */
function useReplay() {
  const [answers, setAnswers] = useState(NONE)
  const [running, setRunning] = useState(false)
  const control = useRef<AbortController | null>(null)
  useEffect(() => () => control.current?.abort(), [])

  const change = (requestId: string, column: number, next: (before: AnswerRecord) => AnswerRecord) =>
    setAnswers((before) => {
      const list = before.get(requestId)?.map((one) => (one.column === column ? next(one) : one)) ?? []
      return new Map(before).set(requestId, list)
    })

  const run = async ({ requests, models, keyId }: ReplayPlan) => {
    const started = new AbortController()
    control.current = started
    const { signal } = started
    setAnswers(NONE)
    setRunning(true)
    for (const requestId of requests) {
      if (signal.aborted) break
      const created = models.map((model, column) => newAnswer(column, model))
      setAnswers((before) => new Map(before).set(requestId, created))
      await Promise.all(
        models.map((model, column) =>
          streamInto(
            (next) => change(requestId, column, next),
            streamReplay(requestId, { model, ...(keyId === null ? {} : { key: keyId }) }, signal),
            signal,
          ),
        ),
      )
    }
    setRunning(false)
  }
  return { answers, running, run, stop: () => control.current?.abort() }
}

/** Never throws: an error is part of the answer. */
async function streamInto(
  change: (next: (before: AnswerRecord) => AnswerRecord) => void,
  parts: ReturnType<typeof streamReplay>,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = performance.now()
  const elapsed = () => performance.now() - startedAt
  const batch = new PartBatch((collected) => change((before) => applyParts(before, collected)))
  const pause = createPause()
  try {
    for await (const part of parts) {
      batch.add({ part, ms: elapsed() })
      await pause()
    }
    batch.flush()
  } catch (thrown) {
    batch.flush()
    const error = toApiError(thrown)
    change((before) => ({ ...before, ...interruptAnswer(before, error, signal.aborted, elapsed()) }))
  }
}
