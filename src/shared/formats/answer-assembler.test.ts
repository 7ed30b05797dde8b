import { expect, test } from 'vitest'
import { AnswerAssembler } from './answer-assembler.ts'

const call = (piece: object) => ({ tool_calls: [piece] })

test('puts the pieces of calls together by their index, with the id once', () => {
  const answer = new AnswerAssembler()
  answer.add(0, call({ index: 1, id: 'b', function: { name: 'time', arguments: '{}' } }))
  answer.add(0, call({ index: 0, id: 'a', function: { name: 'weather', arguments: '{"city"' } }))
  answer.add(0, call({ index: 0, id: 'a', function: { arguments: ':"Bern"}' } }), 'tool_calls')
  answer.add(0, {})
  expect(answer.list().map(({ calls, finish }) => [calls.list(), finish])).toEqual([
    [
      [
        { id: 'a', name: 'weather', arguments: '{"city":"Bern"}' },
        { id: 'b', name: 'time', arguments: '{}' },
      ],
      'tool_calls',
    ],
  ])
})

test('takes the calls of a message, which have no index, in their order', () => {
  const answer = new AnswerAssembler()
  answer.add(0, { tool_calls: ['a', 'b'].map((id) => ({ id, function: { name: id, arguments: '' } })) })
  expect(answer.list().flatMap(({ calls }) => calls.list().map(({ id }) => id))).toEqual(['a', 'b'])
})
