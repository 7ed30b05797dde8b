import { expect, test } from 'vitest'
import { type Exchange, newAnswer, newExchange } from '../../playground/chat-storage.ts'
import { openCalls, type ResultDrafts, resultsReady, withDraft } from './result-drafts.ts'

const use = (id: string) => ({ id, name: 'f', arguments: '{}' })

function exchangeOf(...columns: string[][]): Exchange {
  const answers = columns.map((ids, column) => ({
    ...newAnswer(column, 'm'),
    state: 'done' as const,
    toolUses: ids.map(use),
  }))
  return { ...newExchange(null, 'q'), answers }
}

const typed = (...parts: [number, string, string][]): ResultDrafts =>
  parts.reduce<ResultDrafts>((drafts, part) => withDraft(drafts, ...part), new Map())

test('parallel calls need all of their results', () => {
  const exchange = exchangeOf(['a', 'b'])
  expect(resultsReady(exchange, typed())).toEqual({ results: [], missing: 2 })
  expect(resultsReady(exchange, typed([0, 'a', '1']))).toEqual({ results: [], missing: 1 })
  expect(resultsReady(exchange, typed([0, 'a', '1'], [0, 'b', '  ']))).toMatchObject({ missing: 1 })
  expect(resultsReady(exchange, typed([0, 'a', '1'], [0, 'b', '2']))).toEqual({
    results: [
      { column: 0, callId: 'a', name: 'f', content: '1' },
      { column: 0, callId: 'b', name: 'f', content: '2' },
    ],
    missing: 0,
  })
})

test('of models side by side, one may be left without results', () => {
  const exchange = exchangeOf(['a'], [], ['c'])
  expect(resultsReady(exchange, typed())).toEqual({ results: [], missing: 2 })
  expect(resultsReady(exchange, typed([2, 'c', '1']))).toMatchObject({ results: [{ column: 2 }], missing: 0 })
})

test('an answer that did not come to its end waits for nothing', () => {
  const exchange = exchangeOf(['a'])
  const stopped = {
    ...exchange,
    answers: exchange.answers.map((one) => ({ ...one, state: 'stopped' as const })),
  }
  expect(openCalls(exchange, 0)).toHaveLength(1)
  expect(openCalls(stopped, 0)).toEqual([])
})
