import type { Command } from 'commander'
import { type CommitCost, formatTrailer, readCommitCosts, readUncommitted } from '../git/commit-costs.ts'
import { reportGit } from '../git/git-report.ts'
import { formatCount, usageColumns } from '../terminal/amounts.ts'
import { print, printJson } from '../terminal/print.ts'
import { type Column, formatTable } from '../terminal/table.ts'
import { addDataOptions, addExamples, connect, type DataOptions } from './options.ts'

interface GitCostOptions extends DataOptions {
  trailer?: boolean
}

const SHORT = 10

export function define(command: Command): void {
  command
    .description('What the commits of this repository have cost in requests to models.')
    .argument(
      '[range]',
      'commits as git log takes them, such as main..HEAD; without it, those of this branch',
    )
    .option(
      '--trailer',
      'print one line for a commit message: what is not committed yet, or the sum of the range',
    )
    .action(printCosts)
  addDataOptions(command)
  addExamples(
    command,
    [
      'tollgate git-cost',
      'tollgate git-cost main..HEAD',
      'git commit --trailer "$(tollgate git-cost --trailer)"',
      'gh pr edit --body "$(tollgate git-cost --trailer main..HEAD)"',
    ],
    `A session counts from when tollgate run or the hook of Claude Code (tollgate setup claude-code --git) recorded its branch.
Requests belong to the next commit on that branch; those of a commit that was amended or rebased, to the one that
replaced it.`,
  )
}

async function printCosts(range: string | undefined, options: GitCostOptions): Promise<void> {
  const client = connect(options)
  const place = await reportGit(client, process.cwd())
  if (!place) throw new Error('This folder is in no Git repository whose branch can be read.')
  if (options.trailer && range === undefined)
    return print(`${formatTrailer(await readUncommitted(client, place.report))}\n`)
  const costs = await readCommitCosts(client, place, range ?? null)
  const { commits, uncommitted, total } = costs
  if (options.trailer) return print(`${formatTrailer(total)}\n`)
  if (options.json) return printJson(costs)
  const rows: CommitCost[] = [
    ...(uncommitted ? [{ commit: '', subject: 'Not committed yet', ...uncommitted }] : []),
    ...commits,
    { commit: '', subject: 'Total', ...total },
  ]
  const columns: Column<CommitCost>[] = [
    { title: 'COMMIT', cell: ({ commit }) => commit.slice(0, SHORT) },
    { title: 'SUBJECT', flexible: true, cell: ({ subject }) => subject },
    ...usageColumns(rows),
  ]
  print(formatTable(columns, rows))
  if (total.unpriced > 0) print(`\n${formatCount(total.unpriced)} without a price are not in the cost.\n`)
}
