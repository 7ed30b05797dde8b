import type { TestClient } from './gateway.ts'

/** Connects to GET /v1/events. */
export async function openLiveEvents({ baseUrl, admin }: Pick<TestClient, 'baseUrl' | 'admin'>) {
  const aborter = new AbortController()
  const response = await fetch(`${baseUrl}/v1/events`, {
    headers: { authorization: `Bearer ${admin}` },
    signal: aborter.signal,
  })
  if (!response.body) throw new Error(`no body, status ${response.status}`)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    headers: response.headers,
    /** Reads until all text so far passes, and returns that text. Throws when the stream ends before. */
    async readUntil(isComplete: (text: string) => boolean): Promise<string> {
      while (!isComplete(text)) {
        const { value, done } = await reader.read()
        if (done) throw new Error(`the events ended after: ${text}`)
        text += value
      }
      return text
    },
    close: () => aborter.abort(),
  }
}
