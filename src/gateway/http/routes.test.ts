import { expect, test } from 'vitest'
import { allowedMethods, findRoute } from './routes.ts'

function find(method: string, path: string, headers = {}) {
  const route = findRoute(method, path, headers)
  return route && [route.id, route.pathId]
}

test.each([
  ['POST', '/v1/chat/completions', ['createChatCompletion', '']],
  ['GET', '/v1/keys', ['listKeys', '']],
  ['HEAD', '/v1/keys', ['listKeys', '']],
  ['POST', '/v1/keys', ['createKey', '']],
  ['GET', '/v1/keys/key_1', ['getKey', 'key_1']],
  ['HEAD', '/v1/keys/key_1', ['getKey', 'key_1']],
  ['GET', '/v1/keys/a%2Fb%20c', ['getKey', 'a/b c']],
  ['GET', '/v1/models/acme/model', ['getModel', 'acme/model']],
  ['GET', '/v1/models/%E9%80%9A', ['getModel', '通']],
  ['GET', `/v1/models/${'m'.repeat(200)}`, ['getModel', 'm'.repeat(200)]],
  ['POST', '/v1beta/models/acme/model:generateContent', ['generateContent', 'acme/model']],
  ['POST', '/v1/models/model%3AcountTokens', ['countGeminiTokens', 'model']],
  // A route without an id takes precedence, for its own method only.
  ['DELETE', '/v1/requests/bodies', ['deleteBodies', '']],
  ['GET', '/v1/requests/bodies', ['getRequest', 'bodies']],
])('%s %s', (method, path, expected) => {
  expect(find(method, path)).toEqual(expected)
})

test.each([
  ['PUT', '/v1/keys'],
  ['OPTIONS', '/v1/keys'],
  ['GET', '/v1/keys/'],
  ['GET', '/v1/keys/a/b'],
  ['GET', '/V1/keys'],
  ['GET', '/v1/keys/%zz'],
  ['GET', '/v1/keys/%E9%80'],
  ['GET', `/v1/keys/${'k'.repeat(101)}`],
  ['POST', '/v1beta/models/model:embedContent'],
  ['GET', '/healthz.'],
])('%s %s is no operation', (method, path) => {
  expect(find(method, path)).toBeNull()
})

test('a header decides between operations with the same path', () => {
  const google = { 'x-goog-api-key': 'tg-' }
  expect(find('GET', '/v1/models')).toEqual(['listModels', ''])
  expect(find('GET', '/v1/models', google)).toEqual(['listGeminiModels', ''])
  expect(find('GET', '/v1/models/m', google)).toEqual(['getGeminiModel', 'm'])
  expect(find('GET', '/v1beta/models')).toEqual(['listGeminiModels', ''])
})

test('lists the methods of a path', () => {
  expect(allowedMethods('/v1/keys/x').sort()).toEqual(['DELETE', 'GET', 'PATCH'])
  expect(allowedMethods('/openapi.json')).toEqual(['GET'])
  expect(allowedMethods('/v1/nothing')).toEqual([])
})
