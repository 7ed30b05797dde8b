import type { Page, Request } from '@playwright/test'
import type { Measurement } from './report.ts'

/**
 * Records how long the window waits for each API response (event streams never finish and are left out). The returned
 * function returns those since its last call.
 */
export function watchResponses(window: Page): () => Measurement[] {
  const begun = new Map<Request, number>()
  let ended: Measurement[] = []
  window.on('request', (request) => {
    if (request.url().includes('/v1/')) begun.set(request, performance.now())
  })
  window.on('requestfinished', (request) => {
    const start = begun.get(request)
    if (start === undefined) return
    begun.delete(request)
    const { pathname, search } = new URL(request.url())
    ended.push({ name: decodeURIComponent(pathname + search), took: performance.now() - start })
  })
  return () => {
    const answers = ended
    ended = []
    return answers
  }
}
