import { expect, test } from 'vitest'
import { allowedMethods, endpointNotFound, findErrorFormat, findRoute } from './routes.ts'

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

const chat = 'POST /v1/chat/completions'
test.each([
  ['openai-responses', '/v1/responses/resp_1/cancel', 'POST /v1/responses'],
  ['openai-responses', '/v1/responses/compact', chat],
  ['openai-chat', '/v1/images/variations', 'POST /v1/images/generations'],
  ['openai-chat', '/v1/audio/voices', 'POST /v1/audio/speech'],
  ['openai-chat', '/openai/deployments/m/chat/completions?api-version=1', chat],
  ['openai-chat', '/api/chat', chat],
  ['openai-chat', '/api/chat', 'Ollama'],
  ['openai-chat', '/v1/fine_tuning/jobs', "the provider's own API"],
  ['openai-chat', '/v1/uploads/upload_1/parts', 'within the request'],
  ['openai-chat', '/v1/vector_stores/vs_1/search', 'within the request'],
  ['openai-chat', '/v1/realtime/sessions', 'POST /v1/audio/speech'],
  ['openai-chat', '/v1/conversations', 'POST /v1/responses'],
  ['openai-chat', '/v1/threads/thread_1/runs', 'POST /v1/responses'],
  ['openai-chat', '/v1/videos', 'POST /v1/images/generations'],
  ['openai-chat', '/v1/complete', 'POST /v1/messages'],
  ['openai-chat', '/backend-api/codex/responses', 'tollgate run -- codex'],
  ['anthropic-messages', '/v1/messages/drafts', 'Send each message by POST /v1/messages.'],
  ['gemini-generate', '/v1beta/models/gemini-2.5-pro:predict', 'generateContent'],
  ['gemini-generate', '/v1alpha/models/m:generateContent', 'POST /v1beta/models/MODEL:generateContent'],
  ['gemini-generate', '/v1beta/cachedContents', 'generateContent'],
  ['gemini-generate', '/v1/models/vendor/model:embedContent', 'POST /v1/embeddings'],
  ['gemini-generate', '/v1beta/models/vendor/model:batchEmbedContents', 'POST /v1/embeddings'],
  ['gemini-generate', '/v1internal:generateContent', 'tollgate run -- gemini'],
  [
    'gemini-generate',
    '/v1/projects/p/locations/l/publishers/google/models/m:generateContent',
    'the Gemini API',
  ],
  [
    'gemini-generate',
    '/v1beta1/projects/p/locations/l/publishers/google/models/m:generateContent',
    'the Gemini API',
  ],
])('in the form of %s, %s is not served, but %s is', (format, url, alternative) => {
  expect(findErrorFormat('POST', url)).toBe(format)
  const { status, message } = endpointNotFound('POST', url)
  expect(status).toBe(404)
  expect(message).toContain(`Tollgate does not serve POST ${url.split('?')[0]} yet.`)
  expect(message).toContain(alternative)
})

test.each([
  ['POST /chat/completions', 404, 'The base URL must end in /v1. Use POST /v1/chat/completions.'],
  ['POST /messages', 404, 'The base URL must end in /v1. Use POST /v1/messages.'],
  ['GET /models', 404, 'The base URL must end in /v1. Use GET /v1/models.'],
  ['POST /v1/v1/chat/completions', 404, 'The base URL has /v1 twice. Use POST /v1/chat/completions.'],
  ['POST /v1/chat/completions/', 404, 'There is a slash too many at the end. Use POST /v1/chat/completions.'],
  ['GET /v1/models/', 404, 'There is a slash too many at the end. Use GET /v1/models.'],
  ['POST /v1//chat/completions', 404, 'There is a slash too many. Use POST /v1/chat/completions.'],
  ['GET /v1/chat/completions', 405, 'Use POST /v1/chat/completions.'],
  ['OPTIONS /v1/keys', 405, 'Use GET /v1/keys or POST /v1/keys.'],
  ['POST /v1/models/a/b', 405, 'Use GET /v1/models/a/b or PUT /v1/models/a/b or DELETE /v1/models/a/b.'],
])('%s is %i: %s', (endpoint, status, hint) => {
  const [method = '', url = ''] = endpoint.split(' ')
  expect(endpointNotFound(method, url)).toMatchObject({ status, message: `There is no ${endpoint}. ${hint}` })
})

test('a secret in an unknown path is not repeated in the error', () => {
  const { message } = endpointNotFound('GET', `/v1/nothing/tg-${'x'.repeat(43)}`)
  expect(message).toContain('/v1/nothing/…')
  expect(message).not.toContain('tg-')
})
