// Vitest's reporter of `npm test`: failures, and how long the rest will take. It keeps the time of each file.
import { relative } from 'node:path'
import { MinimalReporter, type TestModule, type TestSpecification } from 'vitest/node'
import { root } from './commands.ts'
import { formatDuration, formatSlowest, readTimes, writeTimes } from './test-times.ts'

const INTERVAL_MS = 15_000
/** Of a file that has never run, in seconds. */
const USUAL_TIME = 1

export default class ProgressReporter extends MinimalReporter {
  readonly #known = readTimes('files')
  readonly #times: Record<string, number> = {}
  #left = new Set<string>()
  #count = 0
  #startedAt = 0
  #shownAt = 0

  override onTestRunStart(specifications: readonly TestSpecification[]): void {
    super.onTestRunStart(specifications)
    this.#left = new Set(specifications.map(({ moduleId }) => relative(root, moduleId)))
    this.#count = this.#left.size
    this.#startedAt = performance.now()
    this.#shownAt = this.#startedAt
  }

  override onTestModuleEnd(module: TestModule): void {
    super.onTestModuleEnd(module)
    const file = relative(root, module.moduleId)
    const { duration, collectDuration, setupDuration, environmentSetupDuration } = module.diagnostic()
    this.#times[file] = (duration + collectDuration + setupDuration + environmentSetupDuration) / 1000
    this.#left.delete(file)
    const now = performance.now()
    if (now - this.#shownAt < INTERVAL_MS) return
    this.#shownAt = now
    console.log(`  ${this.#count - this.#left.size} of ${this.#count} files, ${this.#estimate(now)} left`)
  }

  override onTestRunEnd(...args: Parameters<MinimalReporter['onTestRunEnd']>): void {
    super.onTestRunEnd(...args)
    writeTimes('files', this.#times)
    if (this.#count > 20) console.log(`The slowest files:\n${formatSlowest(this.#times)}`)
  }

  /** The files that are left at the speed of those that have run. */
  #estimate(now: number): string {
    const sum = (files: Iterable<string>) =>
      [...files].reduce((total, file) => total + (this.#known[file] ?? USUAL_TIME), 0)
    const done = sum(Object.keys(this.#times))
    return formatDuration((((now - this.#startedAt) / 1000) * sum(this.#left)) / Math.max(1, done))
  }
}
