// Anthropic's cache of prompts by its published rules, as a vendor for tests. Source: Anthropic's documentation, "Prompt
// caching": marks, least sizes, lifetimes, the order of tools, system and messages, and the 20 blocks in which a mark finds
// what is cached. A token is taken for four characters of JSON.
import { asObject, isObject, type JsonObject, listObjects } from '../formats/json/json.ts'

const MAX_MARKS = 4
const LOOKBACK = 20
const LIFETIME_MS = { '5m': 300_000, '1h': 3_600_000 }
/** The least tokens of a cached prompt, by model; the first match counts. */
const LEAST_TOKENS: readonly (readonly [RegExp, number])[] = [
  [/opus-4-[5-9]|opus-5|haiku-4-5/, 4096],
  [/haiku/, 2048],
  [/./, 1024],
]
/** Prices as multiples of the price of input. */
const READ = 0.1
const WRITE = { '5m': 1.25, '1h': 2 }

type Lifetime = keyof typeof LIFETIME_MS

export interface CachedUsage {
  input: number
  read: number
  write5m: number
  write1h: number
}

/** The number of uncached input tokens that would cost as much as this prompt. */
export function weighUsage({ input, read, write5m, write1h }: CachedUsage): number {
  return input + read * READ + write5m * WRITE['5m'] + write1h * WRITE['1h']
}

interface Block {
  /** The whole prompt up to and including the block. */
  prefix: string
  tokens: number
  mark: Lifetime | null
}

export class ScriptedPromptCache {
  /** When each entry ends, by model and prefix. */
  readonly #entries = new Map<string, number>()
  /** Everything that was ever sent. */
  readonly #seen = new Set<string>()

  /** The usage of the prompt at `now`. Throws for marks that Anthropic rejects. */
  read(body: JsonObject, now: number): CachedUsage {
    const blocks = listBlocks(body)
    const marks = blocks.flatMap(({ mark }, at) => (mark ? [at] : []))
    if (marks.length > MAX_MARKS)
      throw new Error(`A maximum of ${MAX_MARKS} blocks with cache_control: ${marks.length}.`)
    const lifetimes = marks.map((at) => blocks[at]?.mark)
    if (lifetimes.lastIndexOf('1h') > lifetimes.indexOf('5m') && lifetimes.includes('5m'))
      throw new Error('A mark with ttl "1h" must not come after a mark with ttl "5m".')
    const least = LEAST_TOKENS.find(([model]) => model.test(String(body.model)))?.[1] ?? 0
    const sizes = sumTokens(blocks)
    const usable = marks.filter((at) => (sizes[at] ?? 0) >= least)
    const hit = this.#find(blocks, usable, now)
    for (const at of usable) {
      const { prefix, mark } = blocks[at] ?? {}
      if (prefix && mark)
        this.#entries.set(prefix, Math.max(now + LIFETIME_MS[mark], this.#entries.get(prefix) ?? 0))
    }
    const sizeAt = (at: number | undefined) => (at === undefined || at < 0 ? 0 : (sizes[at] ?? 0))
    const read = sizeAt(hit)
    const hours = Math.max(read, sizeAt(usable.findLast((at) => blocks[at]?.mark === '1h')))
    const written = Math.max(hours, sizeAt(usable.at(-1)))
    return {
      input: sizeAt(blocks.length - 1) - written,
      read,
      write1h: hours - read,
      write5m: written - hours,
    }
  }

  /** The usage if all that was sent before were cached, and the rest were cached for five minutes. */
  readIdeal(body: JsonObject): CachedUsage {
    const blocks = listBlocks(body)
    const sizes = sumTokens(blocks)
    const read = sizes[blocks.findLastIndex(({ prefix }) => this.#seen.has(prefix))] ?? 0
    for (const { prefix } of blocks) this.#seen.add(prefix)
    return { input: 0, read, write5m: (sizes.at(-1) ?? 0) - read, write1h: 0 }
  }

  /** The last block whose prefix is cached, within reach of a mark; -1 for none. */
  #find(blocks: readonly Block[], marks: readonly number[], now: number): number {
    for (const mark of marks.toReversed())
      for (let at = mark; at >= Math.max(0, mark - LOOKBACK); at -= 1)
        if ((this.#entries.get(blocks[at]?.prefix ?? '') ?? 0) > now) return at
    return -1
  }
}

function sumTokens(blocks: readonly Block[]): number[] {
  let sum = 0
  return blocks.map(({ tokens }) => {
    sum += tokens
    return sum
  })
}

function listBlocks({ model, tools, system, messages, thinking, tool_choice: choice }: JsonObject): Block[] {
  const instructions = typeof system === 'string' ? [{ type: 'text', text: system }] : listObjects(system)
  // A change of these loses the messages, and keeps tools and system.
  const settings = JSON.stringify({ thinking, choice })
  const contents = listObjects(messages).flatMap(({ role, content }) =>
    (typeof content === 'string' ? [{ type: 'text', text: content }] : listObjects(content)).map((block) => ({
      settings,
      role,
      block,
    })),
  )
  let prefix = String(model)
  return [...listObjects(tools), ...instructions, ...contents].map((part) => {
    const block = asObject('block' in part ? part.block : part)
    const mark = findMark(block)
    const text = JSON.stringify(part, (name, value) => (name === 'cache_control' ? undefined : value))
    prefix += `\n${text}`
    return { prefix, tokens: Math.ceil(JSON.stringify(block).length / 4), mark }
  })
}

function findMark({ cache_control: own, content }: JsonObject): Lifetime | null {
  const mark = own ?? listObjects(content).find(({ cache_control }) => cache_control)?.cache_control
  if (!isObject(mark)) return null
  return mark.ttl === '1h' ? '1h' : '5m'
}
