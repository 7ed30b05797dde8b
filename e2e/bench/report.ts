// The measurements, printed line by line and written to a JSON file at the end.
import { writeFileSync } from 'node:fs'
import { median, percentile } from './stopwatch.ts'

export interface Report {
  line(name: string, text: string): void
  /** Milliseconds of several runs, with the goal. */
  times(name: string, goal: string, measured: readonly number[]): void
  /** The slowest of the measurements. */
  slowest(name: string, measured: readonly Measurement[]): void
  write(path: string): void
}

export interface Measurement {
  name: string
  took: number
}

const NAME_WIDTH = 52
const NAMED = 4

export const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`

export function newReport(): Report {
  const lines = new Map<string, string>()
  const line = (name: string, text: string) => {
    lines.set(name, text)
    console.log(`${name.padEnd(NAME_WIDTH)} ${text}`)
  }
  return {
    line,
    times(name, goal, measured) {
      const figures = `median ${ms(median(measured))}, worst ${ms(percentile(measured, 1))}`
      line(name, `${figures} of ${measured.length} (goal ${goal})`)
    },
    slowest(name, measured) {
      const longest = measured.toSorted((a, b) => b.took - a.took).slice(0, NAMED)
      line(`${name}, slowest`, longest.map((one) => `${ms(one.took)} ${one.name}`).join(' · '))
    },
    write: (path) => writeFileSync(path, JSON.stringify(Object.fromEntries(lines), null, 2)),
  }
}
