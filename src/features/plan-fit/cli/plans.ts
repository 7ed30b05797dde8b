import type { Command } from 'commander'
import { addDataOptions, addExamples, connect, type DataOptions } from '../../../cli/commands/options.ts'
import { usdColumn } from '../../../cli/terminal/amounts.ts'
import { note, print, printJson } from '../../../cli/terminal/print.ts'
import { formatTable } from '../../../cli/terminal/table.ts'
import type { PlanFit } from '../api/plan-fit.ts'
import { BASIS_NAMES, LENGTH_NAMES } from '../api/terms.ts'
import { describeFit, describeUse, formatDays, listFullDays } from '../api/texts.ts'

interface PlansOptions extends DataOptions {
  days: '30' | '90'
}

export function define(command: Command): void {
  command
    .addOption(
      command
        .createOption('--days <days>', 'of how many days the use is compared')
        .choices(['30', '90'])
        .default('30'),
    )
    .action(printPlans)
  addDataOptions(command)
  addExamples(
    command,
    ['tollgate plans', 'tollgate plans --days 90', 'tollgate plans --json'],
    `Requests through Tollgate and the imported history of agents (tollgate import) are compared. With less than 14 days of
use there is no answer, and the exit code is 1.`,
  )
}

async function printPlans({ days, json, ...options }: PlansOptions): Promise<void> {
  const fit = await connect(options).call('getPlanFit', { query: { days } })
  if (fit.best === null) process.exitCode = 1
  if (json) return printJson(fit)
  if (fit.best === null) return note(`${describeFit(fit)}\n`)
  print(`${describeFit(fit)}\n${describeUse(fit)}\n\n${formatPlans(fit)}\n${formatWindows(fit)}\n`)
  for (const assumption of fit.assumptions) print(`- ${assumption}\n`)
}

function formatPlans({ plans, apiUsd }: PlanFit): string {
  const api = { name: 'API alone', priceUsd: 0, coveredUsd: apiUsd, beyondUsd: apiUsd, totalUsd: apiUsd }
  const rows = [
    ...plans.map((plan) => ({ ...plan, days: formatDays(listFullDays(plan)) })),
    { ...api, days: '' },
  ]
  const usd = usdColumn(rows.flatMap((row) => [row.priceUsd, row.coveredUsd, row.beyondUsd, row.totalUsd]))
  return formatTable(
    [
      { title: 'PLAN', cell: ({ name }) => name },
      { title: 'PRICE', align: 'right', cell: ({ priceUsd }) => usd(priceUsd) },
      { title: 'ITS MODELS', align: 'right', cell: ({ coveredUsd }) => usd(coveredUsd) },
      { title: 'BEYOND', align: 'right', cell: ({ beyondUsd }) => usd(beyondUsd) },
      { title: 'TOTAL', align: 'right', cell: ({ totalUsd }) => usd(totalUsd) },
      { title: 'FULL ON', flexible: true, cell: ({ days }) => days },
    ],
    rows,
  )
}

function formatWindows({ plans }: PlanFit): string {
  const rows = plans.flatMap(({ name, windows }) => windows.map((window) => ({ ...window, name })))
  const usd = usdColumn(rows.flatMap(({ allowanceUsd, peakUsd }) => [allowanceUsd, peakUsd]))
  return formatTable(
    [
      { title: 'PLAN', cell: ({ name }) => name },
      { title: 'WINDOW', cell: ({ length }) => LENGTH_NAMES[length] },
      { title: 'ALLOWS', align: 'right', cell: ({ allowanceUsd }) => usd(allowanceUsd) },
      { title: 'MOST USED', align: 'right', cell: ({ peakUsd }) => usd(peakUsd) },
      { title: 'KNOWN AS', cell: ({ basis }) => BASIS_NAMES[basis] },
      { title: 'AS OF', cell: ({ asOf }) => asOf },
      { title: 'SOURCE', flexible: true, optional: true, cell: ({ source }) => source },
    ],
    rows,
  )
}
