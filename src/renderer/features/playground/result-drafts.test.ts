import { expect, test } from 'vitest'
import { type Exchange, newAnswer, newExchange } from '../../parts/chats/chat-storage.ts'
import { collectResults, listOpenCalls, type ResultDrafts, setDraft } from './turn.tsx'

const use = (id: string) => ({ id, name: 'f', arguments: '{}' })

function createExchange(...columns: string[][]): Exchange {
  const answers = columns.map((ids, column) => ({
    ...newAnswer(column, 'm'),
    state: 'done' as const,
    toolUses: ids.map(use),
  }))
  return { ...newExchange(null, 'q'), answers }
}

const typed = (...parts: [number, string, string][]): ResultDrafts =>
  parts.reduce<ResultDrafts>((drafts, part) => setDraft(drafts, ...part), new Map())

test('results are sent once every parallel call has one', () => {
  const exchange = createExchange(['a', 'b'])
  expect(collectResults(exchange, typed())).toEqual({ results: [], missing: 2 })
  expect(collectResults(exchange, typed([0, 'a', '1']))).toEqual({ results: [], missing: 1 })
  expect(collectResults(exchange, typed([0, 'a', '1'], [0, 'b', '  ']))).toMatchObject({ missing: 1 })
  expect(collectResults(exchange, typed([0, 'a', '1'], [0, 'b', '2']))).toEqual({
    results: [
      { column: 0, callId: 'a', name: 'f', content: '1' },
      { column: 0, callId: 'b', name: 'f', content: '2' },
    ],
    missing: 0,
  })
})

test('a column without any result is skipped', () => {
  const exchange = createExchange(['a'], [], ['c'])
  expect(collectResults(exchange, typed())).toEqual({ results: [], missing: 2 })
  expect(collectResults(exchange, typed([2, 'c', '1']))).toMatchObject({
    results: [{ column: 2 }],
    missing: 0,
  })
})

test('an interrupted answer has no open calls', () => {
  const exchange = createExchange(['a'])
  const stopped = {
    ...exchange,
    answers: exchange.answers.map((one) => ({ ...one, state: 'stopped' as const })),
  }
  expect(listOpenCalls(exchange, 0)).toHaveLength(1)
  expect(listOpenCalls(stopped, 0)).toEqual([])
})
