import { useEffect, useRef, useState } from 'react'
import { streamReplay } from '../../../data/chat-stream.ts'
import { toApiError } from '../../../kit/api-error.ts'
import { applyParts, interruptAnswer } from '../../../parts/chats/answer-stream.ts'
import { type Answer, newAnswer } from '../../../parts/chats/chat-storage.ts'
import { createPause, PartBatch } from '../../../parts/chats/part-batch.ts'

export interface ReplayPlan {
  requests: readonly string[]
  models: readonly string[]
  /** Null for the playground's. */
  keyId: string | null
}

/** The answers to a request, one for each model, as far as they were asked for. */
type Answers = ReadonlyMap<string, readonly Answer[]>

const NONE: Answers = new Map()

/** Replays requests one after the other, each on all models in parallel, and stops when the view is left. */
export function useReplay() {
  const [answers, setAnswers] = useState(NONE)
  const [running, setRunning] = useState(false)
  const control = useRef<AbortController | null>(null)
  useEffect(() => () => control.current?.abort(), [])

  const change = (requestId: string, column: number, next: (before: Answer) => Answer) =>
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
  change: (next: (before: Answer) => Answer) => void,
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
