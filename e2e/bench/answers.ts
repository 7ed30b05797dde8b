// Owns how long the gateway took to answer the window, as the window saw it. Knows nothing of what is measured beside it.
import type { Page, Request } from '@playwright/test'
import type { Measured } from './report.ts'

/** Watches every call of the API that ends (streams of events have none). Gives those since the last look. */
export function watchAnswers(window: Page): () => Measured[] {
  const begun = new Map<Request, number>()
  let ended: Measured[] = []
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
