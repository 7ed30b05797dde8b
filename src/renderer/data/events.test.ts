import { expect, it } from 'vitest'
import { readLiveEvents } from './live.ts'

it('reads known events and skips others', async () => {
  const text =
    ': hello\n\nevent: providers\ndata: {"type":"providers"}\n\nevent: new\ndata: {"type":"new"}\n\ndata: not json\n\nevent: providers\ndata: {"type":"providers"}\n\n'
  const body = new Response(text).body
  if (!body) throw new Error('no body')
  const events = []
  for await (const event of readLiveEvents(body)) events.push(event)
  expect(events).toEqual([{ type: 'providers' }, { type: 'providers' }])
})
