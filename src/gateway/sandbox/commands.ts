// Commands in a prompt make the sandbox fail or call tools, so that users can test their own code. They are written as
// `[[sandbox:NAME ARGUMENT]]` anywhere in the last user message.

export interface SandboxCommands {
  /** Fails with this HTTP status, as an upstream would. */
  error: number | null
  /** Milliseconds of silence before the first token. */
  slow: number
  /** Closes the connection in the middle of the answer. */
  cut: boolean
  /** Stops sending in the middle of the answer, until the gateway's stall timeout. */
  stall: boolean
  /** Answers with exactly this many tokens. */
  tokens: number | null
  /** Answers with exactly this text. */
  echo: string | null
  /** Ends with the finish reason `content_filter`. */
  filter: boolean
  /** Reports no usage, as some local servers do not. */
  noUsage: boolean
  /** The tools to call, one in each answer; once all were called, the answer is text. */
  tools: readonly string[]
}

const MAX_SLOW_MS = 600_000
const MAX_TOKENS = 100_000

/** Reads a command's argument; `before`: the commands before it. */
type Reader = (argument: string, before: SandboxCommands) => Partial<SandboxCommands>

function readNumber(argument: string, min: number, max: number): number | null {
  const value = /^\d{1,9}$/.test(argument) ? Number(argument) : Number.NaN
  return value >= min ? Math.min(value, max) : null
}

/** Names on one line; nothing else, so that two adjacent pieces of text do not form a command by accident. */
const NAMES = /^[^\s[\]]+(?: +[^\s[\]]+)*$/

/** `name`, `example` and `effect` appear in docs/api.md. */
export const sandboxCommands: readonly { name: string; example: string; effect: string; read: Reader }[] = [
  {
    name: 'tool',
    example: '[[sandbox:tool get_weather]]',
    effect: 'calls this tool of the request; several names or commands are called in order',
    read: (argument, { tools }) =>
      NAMES.test(argument) ? { tools: [...tools, ...argument.split(/ +/)] } : {},
  },
  {
    name: 'error',
    example: '[[sandbox:error 503]]',
    effect: 'fails with this status (400 to 599); 408, 409, 429 and 5xx are retried first',
    read: (argument) => ({ error: readNumber(argument, 400, 599) }),
  },
  {
    name: 'slow',
    example: '[[sandbox:slow 3000]]',
    effect: 'waits this many milliseconds before the first token',
    read: (argument) => ({ slow: readNumber(argument, 0, MAX_SLOW_MS) ?? 0 }),
  },
  {
    name: 'cut',
    example: '[[sandbox:cut]]',
    effect: 'closes the connection in the middle of the response',
    read: () => ({ cut: true }),
  },
  {
    name: 'stall',
    example: '[[sandbox:stall]]',
    effect: 'stops sending in the middle of the response until the stall timeout',
    read: () => ({ stall: true }),
  },
  {
    name: 'tokens',
    example: '[[sandbox:tokens 200]]',
    effect: 'responds with exactly this number of tokens',
    read: (argument) => ({ tokens: readNumber(argument, 1, MAX_TOKENS) }),
  },
  {
    name: 'echo',
    example: '[[sandbox:echo Hello]]',
    effect: 'responds with exactly this text',
    read: (argument) => ({ echo: argument }),
  },
  {
    name: 'filter',
    example: '[[sandbox:filter]]',
    effect: 'ends with the finish reason content_filter',
    read: () => ({ filter: true }),
  },
  {
    name: 'no-usage',
    example: '[[sandbox:no-usage]]',
    effect: 'reports no usage, so that the gateway has to estimate it',
    read: () => ({ noUsage: true }),
  },
]

const START = '[[sandbox:'
const END = ']]'
const NAME = /([a-z-]{1,20})(?=\s|\]\])/y
/** More are left in the text. */
const MAX_COMMANDS = 1_000

/** The commands in a text, and the text without them. An unknown name is left in the text. */
export function readCommands(text: string): { commands: SandboxCommands; rest: string } {
  let commands: SandboxCommands = {
    error: null,
    slow: 0,
    cut: false,
    stall: false,
    tokens: null,
    echo: null,
    filter: false,
    noUsage: false,
    tools: [],
  }
  let rest = ''
  let from = 0
  for (const { start, end, name, argument } of findCommands(text)) {
    const row = sandboxCommands.find((command) => command.name === name)
    if (!row) continue
    commands = { ...commands, ...row.read(row.name === 'echo' ? argument : argument.trim(), commands) }
    rest += text.slice(from, start)
    from = end
  }
  return { commands, rest: (rest + text.slice(from)).trim() }
}

interface FoundCommand {
  start: number
  end: number
  name: string
  argument: string
}

/** Goes over the text once: a pattern for the whole command would look for its end again from each beginning. */
function* findCommands(text: string): Generator<FoundCommand> {
  let start = text.indexOf(START)
  for (let count = 0; start >= 0 && count < MAX_COMMANDS; count++) {
    NAME.lastIndex = start + START.length
    const name = NAME.exec(text)?.[1]
    const close = text.indexOf(END, start + START.length)
    if (close < 0) return
    const end = name === undefined ? start + START.length : close + END.length
    // The character after the name is a space, or the end.
    if (name !== undefined) yield { start, end, name, argument: text.slice(NAME.lastIndex + 1, close) }
    start = text.indexOf(START, end)
  }
}
