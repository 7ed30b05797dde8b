// Has no imports, because the store's threads load it at every start.

export interface Span {
  /** Milliseconds since the epoch, inclusive. */
  start: number
  /** Exclusive. */
  end: number
}

const HOUR_MS = 60 * 60_000

/** Whether the runtime knows `zone` as an IANA time zone. */
export function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

/** The operating system's zone, or UTC if the runtime does not know it. */
export function systemTimeZone(): string {
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone
  return isTimeZone(zone) ? zone : 'UTC'
}

/** The hour of the zone's clocks: in zones with an offset of half an hour, it begins half past an hour of UTC. */
export function hourSpan(instant: number, zone: string): Span {
  const { asUtc } = localDate(instant, zone)
  const start = instant - (asUtc % HOUR_MS) - (instant % 1_000)
  return { start, end: start + HOUR_MS }
}

export function daySpan(instant: number, zone: string): Span {
  const { year, month, day } = localDate(instant, zone)
  return { start: midnight(year, month, day, zone), end: midnight(year, month, day + 1, zone) }
}

export function monthSpan(instant: number, zone: string): Span {
  const { year, month } = localDate(instant, zone)
  return { start: midnight(year, month, 1, zone), end: midnight(year, month + 1, 1, zone) }
}

/** Weeks start on Monday, as in ISO 8601. */
export function weekSpan(instant: number, zone: string): Span {
  const { year, month, day, asUtc } = localDate(instant, zone)
  const monday = day - ((new Date(asUtc).getUTCDay() + 6) % 7)
  return { start: midnight(year, month, monday, zone), end: midnight(year, month, monday + 7, zone) }
}

/** When a calendar day (YYYY-MM-DD) begins. */
export function dayStart(day: string, zone: string): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return midnight(year, month, date, zone)
}

/** The calendar day of an instant, as YYYY-MM-DD. */
export function dayName(instant: number, zone: string): string {
  return new Date(localDate(instant, zone).asUtc).toISOString().slice(0, 10)
}

/** The hour of the zone's clocks at an instant, from 0 to 23. */
export function getHour(instant: number, zone: string): number {
  return new Date(localDate(instant, zone).asUtc).getUTCHours()
}

/** The minutes since midnight and the day of the week, from Monday (0), that the zone's clocks show at an instant. */
export function getLocalTime(instant: number, zone: string): { minute: number; weekday: number } {
  const shown = new Date(localDate(instant, zone).asUtc)
  return { minute: shown.getUTCHours() * 60 + shown.getUTCMinutes(), weekday: (shown.getUTCDay() + 6) % 7 }
}

const formats = new Map<string, Intl.DateTimeFormat>()

function getFormat(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    formats.set(zone, format)
  }
  return format
}

interface LocalTime {
  year: number
  month: number
  day: number
  /** The instant at which a clock in UTC shows the same time. */
  asUtc: number
}

function localDate(instant: number, zone: string): LocalTime {
  const field: Record<string, number> = {}
  for (const part of getFormat(zone).formatToParts(instant)) field[part.type] = Number(part.value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = field
  return { year, month, day, asUtc: Date.UTC(year, month - 1, day, hour, minute, second) }
}

/** The instant at which a local date begins: where clocks skip midnight, the first instant after the gap. */
function midnight(year: number, month: number, day: number, zone: string): number {
  const wanted = Date.UTC(year, month - 1, day)
  let instant = wanted
  for (let round = 0; round < 3; round++) {
    const offset = localDate(instant, zone).asUtc - instant
    const next = wanted - offset
    if (next === instant) return instant
    instant = next
  }
  return Math.max(instant, wanted - (localDate(instant, zone).asUtc - instant))
}
