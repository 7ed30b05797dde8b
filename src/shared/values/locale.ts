// How dates and numbers are written. Texts are in English.

interface Conventions {
  /** The English locale that has day and month in the order of the user's locale. */
  dates: 'en-GB' | 'en-US'
  hourCycle: 'h12' | 'h23'
  /** Between groups of three digits. */
  group: string
  decimal: string
}

/** Those of the API, the command line and the log, which are the same on every machine. */
const FIXED: Conventions = { dates: 'en-GB', hourCycle: 'h23', group: ',', decimal: '.' }

let current = FIXED

/**
 * Writes dates and numbers from now on as the locale does, such as `de-DE`. A name that the runtime does not know, such as that of
 * the C locale, stands for American English. Null restores the fixed conventions.
 */
export function followLocale(name: string | null): void {
  current = name === null ? FIXED : readConventions(isLocale(name) ? name : 'en-US')
  formats.clear()
}

/** A label within a sentence, without its capital. */
export function lowerLabel(label: string): string {
  return label.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())
}

function isLocale(name: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(name).length > 0
  } catch {
    return false
  }
}

function readConventions(name: string): Conventions {
  const dates = new Intl.DateTimeFormat(name, { day: 'numeric', month: 'numeric' })
  const order = dates.formatToParts(0).map(({ type }) => type)
  const { hourCycle } = new Intl.DateTimeFormat(name, { hour: 'numeric' }).resolvedOptions()
  const digits = new Intl.NumberFormat(name, { numberingSystem: 'latn' }).formatToParts(1_234_567.5)
  const find = (wanted: string) => digits.find(({ type }) => type === wanted)?.value
  return {
    dates: order.indexOf('day') < order.indexOf('month') ? 'en-GB' : 'en-US',
    hourCycle: hourCycle === 'h11' || hourCycle === 'h12' ? 'h12' : 'h23',
    group: find('group') ?? FIXED.group,
    decimal: find('decimal') ?? FIXED.decimal,
  }
}

// Creating an Intl format takes a hundred times as long as using it, and a list needs eight for each row.
const formats = new Map<string, Intl.DateTimeFormat>()

/** The format of dates with these parts, in a time zone; by default the system's. */
export function getDateFormat(parts: Intl.DateTimeFormatOptions, timeZone?: string): Intl.DateTimeFormat {
  const { dates, hourCycle } = current
  // A clock of 12 hours has no leading zero.
  const hour = parts.hour && ({ hour: hourCycle === 'h12' ? 'numeric' : '2-digit', hourCycle } as const)
  const options = { ...parts, ...hour, ...(timeZone && { timeZone }) }
  const name = JSON.stringify(options)
  const cached = formats.get(name)
  if (cached) return cached
  const created = new Intl.DateTimeFormat(dates, options)
  formats.set(name, created)
  return created
}

/** Whether clocks have twelve hours, as in `2:03 PM`. */
export function hasTwelveHours(): boolean {
  return current.hourCycle === 'h12'
}

/** A number as in `1,234.5`, with the separators of the locale. */
export function localizeNumber(text: string): string {
  if (current === FIXED) return text
  return text.replace(/[.,]/g, (separator) => (separator === ',' ? current.group : current.decimal))
}

/** The separator before the decimals. */
export function getDecimalSeparator(): string {
  return current.decimal
}
