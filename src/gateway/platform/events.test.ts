import { expect, test, vi } from 'vitest'
import { EventHub } from './events.ts'

test('an event is made once for all listeners to its type, and not at all without one', () => {
  const hub = new EventHub()
  const make = vi.fn(() => ({ type: 'providers' as const }))
  hub.publish('providers', make)
  const alerts: string[] = []
  hub.subscribe(({ type }) => alerts.push(type), { types: ['cap-alert'] })
  hub.publish('providers', make)
  expect(make).not.toHaveBeenCalled()
  const all: string[] = []
  const unsubscribe = hub.subscribe(({ type }) => all.push(type))
  hub.subscribe(({ type }) => all.push(type), { types: ['cap-alert', 'providers'] })
  hub.publish('providers', make)
  expect(make).toHaveBeenCalledTimes(1)
  unsubscribe()
  hub.publish('providers', make)
  expect([all, alerts]).toEqual([['providers', 'providers', 'providers'], []])
})
