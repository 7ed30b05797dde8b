import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ModelRecord } from '../../shared/models.ts'
import { useModels } from './models.ts'

const model: ModelRecord = {
  id: 'fast',
  object: 'model',
  type: 'model',
  created: 0,
  created_at: '2026-01-01T00:00:00.000Z',
  owned_by: 'openai',
  name: 'Fast',
  display_name: 'Fast',
  provider: 'openai',
  providers: ['openai'],
  contextWindow: null,
  maxOutputTokens: null,
  pricing: null,
  priceOrigin: null,
  capabilities: [],
  fallbacks: [],
  enabled: true,
  overridden: false,
  override: null,
}

/** A gateway that has one model, and notes what is asked of it. */
let kept: ModelRecord
let asked: string[]
let refuses: boolean

beforeEach(async () => {
  kept = model
  asked = []
  refuses = false
  vi.stubGlobal(
    'fetch',
    async (path: string, { method = 'GET', body = '' }: { method?: string; body?: string }) => {
      if (method !== 'GET') asked.push(`${method} ${body}`)
      if (refuses && method !== 'GET') {
        return Response.json({ error: { type: 'server_error', message: 'No room.' } }, { status: 500 })
      }
      if (method === 'PUT') {
        const override = JSON.parse(body)
        kept = { ...model, overridden: true, override, enabled: override.enabled !== false }
        return Response.json(kept)
      }
      if (method === 'DELETE') {
        kept = model
        return Response.json({ id: 'fast', deleted: true })
      }
      expect(path).toBe('/v1/models?include=disabled')
      return Response.json({ object: 'list', data: [kept], has_more: false, first_id: null, last_id: null })
    },
  )
  await useModels.getState().refresh()
})

afterEach(() => vi.unstubAllGlobals())

test('a model that is turned off is listed, but cannot be picked', async () => {
  const done = useModels.getState().turn('fast', false)
  expect(useModels.getState().turning).toEqual({ fast: false })
  await done
  const { all, models, turning } = useModels.getState()
  expect([all.length, models.length, turning]).toEqual([1, 0, {}])
  expect(asked).toEqual(['PUT {"enabled":false}'])
})

test('turning it on again leaves no override where there was none', async () => {
  await useModels.getState().turn('fast', false)
  await useModels.getState().turn('fast', true)
  expect(asked.at(-1)).toBe('DELETE ')
  expect(useModels.getState().models).toHaveLength(1)
})

test('whoever changes their mind meanwhile gets what was wished last', async () => {
  await Promise.all([
    useModels.getState().turn('fast', false),
    useModels.getState().turn('fast', true),
    useModels.getState().turn('fast', false),
  ])
  expect(kept.enabled).toBe(false)
  expect(useModels.getState().turning).toEqual({})
})

test('a model that could not be turned off is on, and says why until the next try', async () => {
  refuses = true
  await useModels.getState().turn('fast', false)
  expect(useModels.getState().turning).toEqual({})
  expect(useModels.getState().turnErrors).toEqual({ fast: 'No room.' })
  refuses = false
  await useModels.getState().turn('fast', false)
  expect(useModels.getState().turnErrors).toEqual({})
})
