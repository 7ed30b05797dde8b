import { type Command, InvalidArgumentError, Option } from 'commander'
import { PRICED_TIERS } from '../../shared/api/models.ts'
import type { EstimateRequest } from '../../shared/api/pricing.ts'
import { formatUsd } from '../../shared/money/format-usd.ts'
import { formatCount } from '../terminal/amounts.ts'
import { print, printJson } from '../terminal/print.ts'
import { formatFields } from './key-texts.ts'
import { addDataOptions, addExamples, connect, type DataOptions, parseCount } from './options.ts'

interface EstimateOptions extends DataOptions {
  input: number
  output: number
  requests: number
  cached?: number
  tier?: EstimateRequest['serviceTier']
}

export function define(command: Command): void {
  command
    .argument('<model>')
    .requiredOption('--input <tokens>', 'input tokens of one request: 800, 12k, 1.5m', parseTokens)
    .requiredOption('--output <tokens>', 'output tokens of one request', parseTokens)
    .option('--requests <n>', 'how many requests', parseCount, 1)
    .option('--cached <percent>', 'how much of the input is read from a cache, in percent', parsePercent)
    .addOption(new Option('--tier <tier>', 'the tier that serves them').choices(PRICED_TIERS))
    .action(showEstimate)
  addDataOptions(command)
  addExamples(command, [
    'tollgate estimate claude-sonnet-5 --input 12k --output 2k',
    'tollgate estimate gpt-5.5 --input 80k --cached 90 --output 1k --requests 400',
  ])
}

async function showEstimate(model: string, options: EstimateOptions): Promise<void> {
  const { input, output, requests, cached, tier } = options
  const estimate = await connect(options).call('estimateCost', {
    body: {
      model,
      monthlyInputTokens: input * requests,
      monthlyOutputTokens: output * requests,
      cachedInputShare: cached === undefined ? undefined : cached / 100,
      serviceTier: tier,
    },
  })
  if (options.json) return printJson(estimate)
  const { listCostUsd } = estimate
  print(
    formatFields([
      ['Model', model],
      ['Requests', formatCount(requests)],
      ['Tokens', `${formatCount(input * requests)} input, ${formatCount(output * requests)} output`],
      ['Cost', formatUsd(listCostUsd)],
      ['Each', requests > 1 ? formatUsd(listCostUsd / requests) : null],
    ]),
  )
}

const FACTORS: Readonly<Record<string, number>> = { '': 1, k: 1_000, m: 1_000_000 }

function parseTokens(text: string): number {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)([km]?)$/i.exec(text) ?? []
  const tokens = Math.round(Number(amount) * (FACTORS[unit.toLowerCase()] ?? 0))
  if (!Number.isSafeInteger(tokens))
    throw new InvalidArgumentError('Give a number of tokens, such as 800 or 12k.')
  return tokens
}

function parsePercent(text: string): number {
  const percent = Number(text.replace(/%$/, ''))
  if (text.trim() === '' || !(percent >= 0 && percent <= 100)) {
    throw new InvalidArgumentError('Give a percentage from 0 to 100.')
  }
  return percent
}
