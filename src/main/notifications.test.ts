import { beforeEach, expect, test, vi } from 'vitest'
import type { LiveEvent } from '../shared/api/events.ts'
import type { KeyMetadata } from '../shared/api/keys.ts'
import { showAlerts } from './notifications.ts'
import { sampleAccount, sampleKey } from './testing/samples.ts'

const handlers = vi.hoisted(() => new Map<string, (...args: unknown[]) => void>())
const bodies = vi.hoisted((): string[] => [])
const support = vi.hoisted(() => ({ isSupported: true }))
vi.mock('electron', () => ({
  app: { setAppUserModelId() {} },
  Notification: class {
    static isSupported = () => support.isSupported
    constructor(options: { body: string }) {
      bodies.push(options.body)
    }
    on = (name: string, handler: () => void) => handlers.set(name, handler)
    show() {}
    close() {}
  },
}))

const used = { usd: 2, per: 'day', spentUsd: 2, reservedUsd: 0, resetsAt: null } as const
const id = `key_${'0'.repeat(24)}`
const first: KeyMetadata = { ...sampleKey, id, spendUsd: 2, spendLimits: [used] }

const limit = { per: 'day', index: 0 } as const
const about = { keyId: id, name: 'Agent', percent: 100, spentUsd: 2, limitUsd: 2, limit }
const capAlert: LiveEvent = { type: 'cap-alert', alert: about }

let key = first
let patches: unknown[] = []
let opened: string[] = []
let alert = (_event: LiveEvent) => {}

beforeEach(async () => {
  key = first
  patches = []
  opened = []
  handlers.clear()
  bodies.length = 0
  const gateway = {
    async fetchAsOwner(request: Request) {
      if (request.method === 'PATCH') patches.push(await request.json())
      return Response.json(request.url.endsWith('/v1/account') ? sampleAccount : key)
    },
    subscribe(listener: typeof alert) {
      alert = listener
      return () => {}
    },
  }
  showAlerts(gateway, (href) => opened.push(href), { warn() {} })
  alert(capAlert)
  await vi.waitFor(() => expect(handlers.has('action')).toBe(true))
})

const press = () => handlers.get('action')?.({ actionIndex: 0 })

test('the button of an old notification raises the limit as it is now, and undoes no change', async () => {
  key = {
    ...first,
    spendLimits: [
      { ...used, usd: 1 },
      { ...used, per: 'week', usd: 3 },
    ],
  }
  press()
  const now = [
    { usd: 7, per: 'day' },
    { usd: 3, per: 'week' },
  ]
  await vi.waitFor(() => expect(patches).toEqual([{ spendLimits: now }]))
})

test('another limit that took the place of the one that was meant is not raised', async () => {
  key = { ...first, spendLimits: [{ ...used, per: 'month' }] }
  press()
  await vi.waitFor(() => expect(opened).toHaveLength(1))
  expect(patches).toEqual([])
})

test('if there is nothing to raise any more, it only shows the limit', async () => {
  key = { ...first, spendLimits: [{ ...used, usd: 9 }] }
  press()
  await vi.waitFor(() => expect(opened).toHaveLength(1))
  expect(patches).toEqual([])
})

test.skipIf(process.platform !== 'linux')('markup in a text of others is shown as it is', async () => {
  const paused = { keyId: id, name: 'Agent', cause: 'spend', requests: 1, costUsd: 1 } as const
  const reason = '<a href="https://evil.example">Pay</a> & go.'
  alert({ type: 'guard-alert', alert: { ...paused, reason } })
  await vi.waitFor(() => expect(bodies).toHaveLength(2))
  expect(bodies[1]).toContain('&lt;a href="https://evil.example"&gt;Pay&lt;/a&gt; &amp; go.')
})

test('an alert has no effect where notifications are not supported', () => {
  support.isSupported = false
  alert(capAlert)
  support.isSupported = true
  expect(bodies).toHaveLength(1)
})
