import { create } from 'zustand'
import type { ResponseOf } from '../../../shared/api/operations.ts'
import { api } from '../../data/api.ts'
import { readTimeZone } from '../../data/queries.ts'
import { filterToQuery, type RequestFilter } from '../../data/request-filter.ts'
import { toApiError } from '../../kit/api-error.ts'
import { download } from '../../kit/download.ts'
import type { ExportWriter } from './export-format.ts'

/** The most the gateway returns at a time. */
const PAGE = 500

interface ExportOptions {
  filter: RequestFilter
  fileName: string
  writer: ExportWriter
}

interface ExportStore {
  /** Requests written so far; null when no export runs. */
  written: number | null
  /** Resolves to how many requests the file has; null when it was stopped. Throws ApiError. */
  run(ask: ExportOptions): Promise<number | null>
  stop(): void
}

let running: AbortController | null = null

export const useRequestExport = create<ExportStore>()((set) => ({
  written: null,
  async run({ filter, fileName, writer: { type, head, between, tail, write } }) {
    running?.abort()
    const control = new AbortController()
    running = control
    set({ written: 0 })
    // The browser may keep blobs on the disk, unlike strings.
    const parts: Blob[] = [new Blob([head])]
    let written = 0
    let cursor: string | null = null
    try {
      const filterQuery = filterToQuery(filter, await readTimeZone())
      do {
        const query = { limit: PAGE, ...filterQuery, ...(cursor ? { cursor } : {}) }
        const page: ResponseOf<'listRequests'> = await api('listRequests', { query, signal: control.signal })
        const text = page.data.map(write).join(between)
        if (page.data.length > 0) parts.push(new Blob([written === 0 ? '' : between, text]))
        written += page.data.length
        cursor = page.nextCursor
        set({ written })
      } while (cursor !== null)
      download(new Blob([...parts, tail], { type }), fileName)
      return written
    } catch (thrown) {
      if (control.signal.aborted) return null
      throw toApiError(thrown)
    } finally {
      if (running === control) {
        running = null
        set({ written: null })
      }
    }
  },
  stop() {
    running?.abort()
  },
}))
