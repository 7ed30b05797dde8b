import type { JsonObject } from '../json/json.ts'
import type { ChatEvent } from './events.ts'
import type { ReportedUsage } from './usage.ts'

const produced = ({ buckets }: ReportedUsage): number => buckets.output + buckets.audioOutput

/** Decides which of a stream's usage reports count. */
export class UsageReports {
  #last: ReportedUsage | null = null

  /**
   * Returns the event for a report, with the other fields of its chunk. Returns nothing for a report that is unreadable, or
   * that has no output tokens after an earlier one had some.
   */
  next(report: ReportedUsage | null, members?: JsonObject): ChatEvent[] {
    if (!report || (this.#last && produced(report) === 0 && produced(this.#last) > 0)) return []
    this.#last = report
    return [{ type: 'usage', usage: report, ...(members && { members }) }]
  }
}
