import { type Command, Option } from 'commander'
import { type Branch, createAgentTree, nameBranch } from '../../shared/api/agent-tree.ts'
import type { RequestRecord } from '../../shared/api/requests.ts'
import {
  SESSION_SORTS,
  type Session,
  type SessionQuery,
  type SessionStep,
} from '../../shared/api/sessions.ts'
import { describeStep, describeUnstored } from '../../shared/api/step-text.ts'
import { listAllRequests } from '../list-requests.ts'
import {
  formatCost,
  formatCount,
  formatDuration,
  formatMoment,
  pluralize,
  usdColumn,
  worthColumn,
} from '../terminal/amounts.ts'
import { note, print, printJson } from '../terminal/print.ts'
import { formatTable } from '../terminal/table.ts'
import { findKey, formatFields } from './key-texts.ts'
import { addDataOptions, addExamples, connect, type DataOptions, parseCount, parseMoment } from './options.ts'

interface SessionOptions extends DataOptions {
  lines: number
  sort: SessionQuery['sort']
  key?: string
  tool?: string
  tag?: string
  branch?: string
  since?: string
}

const MAX_LINES = 500

export function define(command: Command): void {
  command
    .description('List the sessions, which are runs of agents, or show the steps of one and what they cost.')
    .argument('[session]', 'the id of a session')
    .option('-n, --lines <n>', `how many sessions, at most ${MAX_LINES}`, parseCount, 20)
    .addOption(
      new Option('--sort <by>', 'what comes first: the last, or the most')
        .choices(SESSION_SORTS)
        .default('time'),
    )
    .option('--key <key>', 'only of this key: its name or id')
    .option('--tool <name>', 'only of this program')
    .option('--tag <project>', 'only of this project')
    .option('--branch <branch>', 'only on this branch: REPOSITORY BRANCH, as spend --by branch has it')
    .option('--since <when>', 'only since then: 10m, 2h, 7d ago, or a date-time', (text: string) =>
      parseMoment(text, Date.now(), -1),
    )
    .action((id: string | undefined, options: SessionOptions) =>
      id === undefined ? listSessions(options) : showSession(id, options),
    )
  addDataOptions(command)
  addExamples(command, [
    'tollgate sessions',
    'tollgate sessions --since 7d --sort cost -n 5',
    'tollgate sessions ses_0198…',
    "tollgate sessions --json | jq -r '.[] | select(.costUsd > 1) | .id'",
  ])
}

async function listSessions({
  lines,
  sort,
  key,
  tool,
  tag,
  branch,
  since,
  json,
  ...options
}: SessionOptions): Promise<void> {
  const client = connect(options)
  const { data } = await client.call('listSessions', {
    query: {
      limit: Math.min(lines, MAX_LINES),
      sort,
      key: key === undefined ? undefined : (await findKey(client, key)).id,
      client: tool,
      tag,
      branch,
      from: since,
    },
  })
  if (json) return printJson(data)
  if (data.length === 0) return note('There is no session that matches.\n')
  const usd = usdColumn(data.flatMap(({ costUsd, worthUsd }) => [costUsd, worthUsd]))
  print(
    formatTable<Session>(
      [
        { title: 'LAST', cell: ({ lastAt }) => formatMoment(lastAt) },
        { title: 'ID', cell: ({ id }) => id },
        { title: 'TOOL', optional: true, cell: ({ clientName }) => clientName ?? '–' },
        { title: 'PROJECT', optional: true, cell: ({ tag: project }) => project ?? '–' },
        { title: 'TITLE', flexible: true, cell: ({ title, models }) => title ?? models.join(', ') },
        {
          title: 'TIME',
          optional: true,
          align: 'right',
          cell: (session) => formatDuration(computeDuration(session)),
        },
        { title: 'REQUESTS', optional: true, align: 'right', cell: ({ requests }) => formatCount(requests) },
        { title: 'COST', align: 'right', cell: ({ costUsd }) => usd(costUsd) },
        ...worthColumn(data, usd),
      ],
      data,
    ),
  )
}

async function showSession(id: string, options: SessionOptions): Promise<void> {
  const client = connect(options)
  const session = await client.call('getSession', { params: { id } })
  const steps = (await listAllRequests(client, { session: id, batch: '' })).toReversed()
  const { data: done } = await client.call('listSessionSteps', { params: { id } })
  if (options.json) return printJson({ ...session, steps, done })
  print(formatSession(session))
  const branches = createAgentTree(steps)
  if (branches.length > 1) print(`\n${formatAgents(branches)}`)
  if (steps.length > 0) print(`\n${formatSteps(steps, done)}`)
  if (session.prunedRequests > 0) {
    note(
      `${pluralize(session.prunedRequests, 'request')} of it ${session.prunedRequests === 1 ? 'is' : 'are'} no longer in the log.\n`,
    )
  }
}

function formatSession(session: Session): string {
  const { requests, running, errors, refused, tokensIn, tokensCached, tokensOut, unpriced } = session
  const odd = [
    [running, 'running'],
    [errors, 'failed'],
    [refused, 'refused'],
  ] as const
  const more = odd.filter(([count]) => count > 0).map(([count, what]) => `, ${formatCount(count)} ${what}`)
  const cached = tokensCached > 0 ? ` (${formatCount(tokensCached)} from cache)` : ''
  return formatFields([
    ['Session', session.id],
    ['Title', session.title],
    ['Tool', session.clientName],
    ['Project', session.tag],
    ['Key', session.keyName],
    ['Started', formatMoment(session.startedAt)],
    ['Time', formatDuration(computeDuration(session))],
    ['Requests', `${formatCount(requests)}${more.join('')}`],
    ['Tokens', `${formatCount(tokensIn)} input${cached}, ${formatCount(tokensOut)} output`],
    ['Branch', session.branches.map(({ repository, branch }) => `${repository} ${branch}`).join(', ')],
    ['Models', session.models.join(', ')],
    [
      'Cost',
      `${formatCost(session.costUsd, session.worthUsd)}${unpriced > 0 ? `, ${formatCount(unpriced)} without a price` : ''}`,
    ],
  ])
}

function formatAgents(branches: readonly Branch[]): string {
  const usd = usdColumn(branches.flatMap(({ costUsd, worthUsd }) => [costUsd, worthUsd]))
  return formatTable(
    [
      {
        title: 'AGENT',
        flexible: true,
        cell: (branch) => `${'  '.repeat(branch.depth)}${nameBranch(branch)}`,
      },
      { title: 'REQUESTS', align: 'right', cell: ({ requests }) => formatCount(requests) },
      { title: 'TOKENS', optional: true, align: 'right', cell: ({ tokens }) => formatCount(tokens) },
      { title: 'IN MODELS', optional: true, align: 'right', cell: ({ modelMs }) => formatDuration(modelMs) },
      { title: 'IN TOOLS', optional: true, align: 'right', cell: ({ toolMs }) => formatDuration(toolMs) },
      { title: 'COST', align: 'right', cell: ({ costUsd }) => usd(costUsd) },
      ...worthColumn(branches, usd),
    ],
    branches,
  )
}

function formatSteps(steps: readonly RequestRecord[], done: readonly SessionStep[]): string {
  const texts = new Map(done.map((step) => [step.requestId, describeStep(step)]))
  let sum = 0
  const rows = steps.map((step) => {
    sum += step.costUsd ?? 0
    return { ...step, sum }
  })
  const usd = usdColumn(rows.flatMap(({ costUsd, worthUsd, sum: total }) => [costUsd, worthUsd, total]))
  return formatTable(
    [
      { title: 'TIME', cell: ({ createdAt }) => formatMoment(createdAt) },
      { title: 'REQUEST', optional: true, cell: ({ id }) => id },
      { title: 'STATUS', cell: ({ status }) => status },
      { title: 'MODEL', cell: ({ model, requestedModel }) => model ?? requestedModel ?? '–' },
      { title: 'WHAT', flexible: true, cell: (step) => texts.get(step.id) ?? describeUnstored(step) },
      { title: 'INPUT', optional: true, align: 'right', cell: ({ tokensIn }) => formatCount(tokensIn) },
      { title: 'OUTPUT', optional: true, align: 'right', cell: ({ tokensOut }) => formatCount(tokensOut) },
      { title: 'COST', align: 'right', cell: ({ costUsd }) => usd(costUsd) },
      ...worthColumn(rows, usd),
      { title: 'SUM', align: 'right', cell: ({ sum: total }) => usd(total) },
    ],
    rows,
  )
}

function computeDuration({ startedAt, lastAt }: Session): number {
  return Date.parse(lastAt) - Date.parse(startedAt)
}
