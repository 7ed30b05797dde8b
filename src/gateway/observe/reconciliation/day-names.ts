import { dayName } from '../../../shared/calendar.ts'

/** No zone changes its day within a quarter of an hour. */
const SLOT_MS = 15 * 60_000

/** The days of moments in a time zone, each quarter of an hour looked up once. */
export class DayNames {
  readonly #timeZone: string
  readonly #days = new Map<number, string>()

  constructor(timeZone: string) {
    this.#timeZone = timeZone
  }

  /** `at`: milliseconds since 1970. */
  dayOf(at: number): string {
    const slot = Math.floor(at / SLOT_MS)
    let day = this.#days.get(slot)
    if (day === undefined) {
      day = dayName(at, this.#timeZone)
      this.#days.set(slot, day)
    }
    return day
  }
}
