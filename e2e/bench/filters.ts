import { expect, type Locator, type Page } from '@playwright/test'
import { KeyList } from '../../src/shared/api/keys.ts'
import { RequestList } from '../../src/shared/api/request-queries.ts'
import type { App } from '../app.ts'
import { open, requestRows } from '../views.ts'
import { logPainted, row, waitUntilIdle } from './idle.ts'
import { type Measurement, ms, type Report } from './report.ts'
import { median, timeClick } from './stopwatch.ts'

/** Options to choose one after the other; the last one removes the filter. */
const choices = {
  Status: ['Failed', 'Canceled', 'Succeeded', 'Any status'],
  Key: ['Nightly evals', 'Docs search', 'Old laptop', 'All keys'],
  Model: ['claude-haiku-5-5', 'gpt-5.5', 'support-finetune-v2', 'All models'],
  Provider: ['OpenAI', 'Anthropic', 'All providers'],
  Cost: ['≥ $1.00', 'Unsettled', '≥ $0.01', 'Any cost'],
}

/** Measures how soon the request log shows the rows that match a filter. */
export async function measureFilters(app: App, report: Report, answers: () => Measurement[]): Promise<void> {
  const { window } = app
  for (const [box, names] of Object.entries(choices)) {
    await open(window, 'Requests')
    await waitUntilIdle()
    answers()
    const measured: number[] = []
    for (const name of names) measured.push(await timeChoice(window, box, name))
    const title = `filter: ${box.toLowerCase()}`
    report.times(title, '200 ms', measured)
    report.slowest(title, answers())
  }
  for (const [title, text, found] of [
    ['filter: text', 'overloaded', requestRows(window).first().filter({ hasText: 'Failed' })],
    ['filter: text that no request has', 'in none of them', window.getByText('No request matches')],
  ] as const) {
    const took = await timeSearch(window, text, found)
    report.line(`${title}, with the pause after typing`, ms(took))
    report.slowest(title, answers())
  }
  const pairs = await timePairs(app)
  const title = `filter: ${pairs.length} pairs, by the gateway alone`
  report.line(title, `median ${ms(median(pairs.map(({ took }) => took)))} (goal 200 ms)`)
  report.slowest(title, pairs)
}

/** Measures from the click on an option until the matching rows are painted. */
async function timeChoice(window: Page, box: string, choice: string): Promise<number> {
  const text = (await requestRows(window).first().textContent()) ?? ''
  const select = window.getByRole('combobox', { name: box, exact: true })
  await select.or(window.getByRole('button', { name: `${box}: ` })).click()
  const option = window.getByRole('option', { name: choice, exact: true })
  const button = window.getByRole('dialog').getByRole('button', { name: choice, exact: true })
  const renewed = { selector: row, text }
  const time = await timeClick(window, option.or(button), { ...logPainted, renewed })
  await waitUntilIdle()
  return time
}

async function timeSearch(window: Page, text: string, found: Locator): Promise<number> {
  const start = performance.now()
  await window.getByRole('searchbox', { name: 'Search requests' }).fill(text)
  await expect(found).toBeVisible({ timeout: 60_000 })
  return performance.now() - start
}

const OTHERS = [
  'status=failed',
  'status=refused',
  'status=canceled',
  'minCostUsd=0.5',
  'costStatus=unsettled',
]

/** How long the gateway takes for the first page of each combination of two filters, rare ones included. */
async function timePairs({ window, get }: App): Promise<Measurement[]> {
  const keys = (await get('/v1/keys', KeyList)).data.map(({ id }) => `key=${id}`)
  const latest = (await get('/v1/requests?limit=500', RequestList)).data
  const models = new Set(
    latest.map(({ requestedModel }) => `model=${encodeURIComponent(requestedModel ?? '')}`),
  )
  const pairs = [...keys, ...models].flatMap((one) => OTHERS.map((other) => `${one}&${other}`))
  return await window.evaluate(async (names) => {
    const measured: { name: string; took: number }[] = []
    for (const name of names) {
      const start = performance.now()
      await fetch(`/v1/requests?limit=60&${name}`).then((answer) => answer.text())
      measured.push({ name, took: performance.now() - start })
    }
    return measured
  }, pairs)
}
