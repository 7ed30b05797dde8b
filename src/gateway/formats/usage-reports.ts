// Owns which of a stream's usage reports count. Knows no format.

import type { ChatEvent } from './events.ts'
import type { JsonObject } from './json.ts'
import type { ReportedUsage } from './token-usage.ts'

const produced = ({ buckets }: ReportedUsage): number => buckets.output + buckets.audioOutput

export class UsageReports {
  #last: ReportedUsage | null = null

  /** The event of a report, with what else the chunk said that brought it; none where it cannot be read, or says that nothing came after an earlier one knew better. */
  next(report: ReportedUsage | null, members?: JsonObject): ChatEvent[] {
    if (!report || (this.#last && produced(report) === 0 && produced(this.#last) > 0)) return []
    this.#last = report
    return [{ type: 'usage', usage: report, ...(members && { members }) }]
  }
}
