import { EventEmitter } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { BodyBudget } from './body-budget.ts'

function exchange(contentLength?: number) {
  const request = new IncomingMessage(new Socket())
  if (contentLength !== undefined) request.headers['content-length'] = String(contentLength)
  return { request, response: new ServerResponse(request) }
}

it('refuses a body while others hold the memory, and lets it in when one of them is over', () => {
  const budget = new BodyBudget(100)
  const first = exchange(60)
  budget.admit(first.request, first.response)
  const second = exchange(60)
  expect(() => budget.admit(second.request, second.response)).toThrow(
    expect.objectContaining({ status: 503 }),
  )
  EventEmitter.prototype.emit.call(first.response, 'close')
  budget.admit(second.request, second.response)
})

it('takes a body of unknown length for the longest there may be', () => {
  const { request, response } = exchange()
  expect(() => new BodyBudget(1024).admit(request, response)).toThrow(
    expect.objectContaining({ status: 503 }),
  )
})
