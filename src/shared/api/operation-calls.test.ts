import { expect, it } from 'vitest'
import { fillPath } from './operation-calls.ts'

it('encodes an id, and keeps the slashes of model ids', () => {
  expect(fillPath('/v1/keys/{id}', 'a/b c')).toBe('/v1/keys/a%2Fb%20c')
  expect(fillPath('/v1/models/{id+}', 'meta/llama 4')).toBe('/v1/models/meta/llama%204')
})

it('leaves missing query fields out, and keeps blank ones: they select requests without a client or tag', () => {
  expect(
    fillPath('/v1/requests', undefined, { limit: 50, client: '', key: undefined, status: 'failed' }),
  ).toBe('/v1/requests?limit=50&client=&status=failed')
})

it('throws for a path without its id', () => {
  expect(() => fillPath('/v1/keys/{id}', undefined)).toThrow(RangeError)
})
