import type { Answer } from '../../testing/gateway.ts'
import type { TestHandler } from '../../upstream/testing/test-upstream.ts'
import { startNativeProvider } from './native-provider.ts'

/** 600 tokens at 1 USD per million, 400 from the cache at the same price, 200 at 2 USD: 0.0014 USD. */
export const GOOGLE_USAGE = {
  promptTokenCount: 1000,
  cachedContentTokenCount: 400,
  candidatesTokenCount: 150,
  thoughtsTokenCount: 50,
}
/** The two framings of a stream. */
export const STREAM = { action: 'streamGenerateContent?alt=sse' }
export const ARRAY = { action: 'streamGenerateContent' }

interface Call {
  model?: string
  action?: string
  as?: string
}

/** Starts a gateway whose provider `google` has Google's format, and a function that calls it as Google's SDK does. */
export async function startGoogleProvider(handler: TestHandler) {
  const native = await startNativeProvider(
    {
      id: 'google',
      path: '/v1beta',
      models: ['gemini-x', 'vendor/x:free'],
      apiFormat: 'gemini-generate',
    },
    handler,
  )
  const { gateway } = native
  const generate = (
    body: unknown,
    { model = 'gemini-x', action = 'generateContent', as = gateway.admin }: Call = {},
  ): Promise<Answer> =>
    gateway.call('POST', `/v1beta/models/${model}:${action}`, {
      as: '',
      body,
      headers: { 'x-goog-api-key': as },
    })
  return { ...native, generate }
}
