// Commands in a prompt make the sandbox fail or call tools, so that users can test their own code. They are written as
// `[[sandbox:NAME ARGUMENT]]` anywhere in the last user message.

export interface SandboxCommands {
  error: number | null
  slow: number
  cut: boolean
  stall: boolean
  tokens: number | null
  echo: string | null
  filter: boolean
  noUsage: boolean
  tools: readonly string[]
}

const NONE: SandboxCommands = {
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

/** Names on one line; nothing else, so that two adjacent pieces of text do not form a command by accident. */
const NAMES = /^[^\s[\]]+(?: +[^\s[\]]+)*$/

/** Reads a command's argument; `earlier`: the commands that came first. */
type Reader = (argument: string, earlier: SandboxCommands) => Partial<SandboxCommands>

function readNumber(argument: string, min: number, max: number): number | null {
  const value = /^\d{1,9}$/.test(argument) ? Number(argument) : Number.NaN
  return value >= min ? Math.min(value, max) : null
}

function row(example: string, effect: string, read: Reader) {
  return { name: example.split(' ')[0], example: `[[sandbox:${example}]]`, effect, read }
}

/** `example` and `effect` appear in docs/api.md. */
export const sandboxCommands = [
  row(
    'tool get_weather',
    'calls this tool of the request; several names or commands are called in order',
    (argument, { tools }) => (NAMES.test(argument) ? { tools: [...tools, ...argument.split(/ +/)] } : {}),
  ),
  row(
    'error 503',
    'fails with this status (400 to 599); 408, 409, 429 and 5xx are retried first',
    (argument) => ({ error: readNumber(argument, 400, 599) }),
  ),
  row('slow 3000', 'waits this many milliseconds before the first token', (argument) => ({
    slow: readNumber(argument, 0, 600_000) ?? 0,
  })),
  row('cut', 'closes the connection in the middle of the response', () => ({ cut: true })),
  row('stall', 'stops sending in the middle of the response until the stall timeout', () => ({
    stall: true,
  })),
  row('tokens 200', 'responds with exactly this number of tokens', (argument) => ({
    tokens: readNumber(argument, 1, 100_000),
  })),
  row('echo Hello', 'responds with exactly this text', (argument) => ({ echo: argument })),
  row('filter', 'ends with the finish reason content_filter', () => ({ filter: true })),
  row('no-usage', 'reports no usage, so that the gateway has to estimate it', () => ({ noUsage: true })),
]

const START = '[[sandbox:'
const END = ']]'
const NAME = /([a-z-]{1,20})(?=\s|\]\])/y
/** More are left in the text. */
const MAX_COMMANDS = 1_000

/**
 * The commands in a text, and the text without them. An unknown name is left in the text. Goes over the text once: a pattern
 * for the whole command would look for its end again from each beginning.
 */
export function readCommands(text: string): { commands: SandboxCommands; rest: string } {
  let commands = NONE
  let rest = ''
  let from = 0
  let start = text.indexOf(START)
  for (let count = 0; start >= 0 && count < MAX_COMMANDS; count++) {
    NAME.lastIndex = start + START.length
    const name = NAME.exec(text)?.[1]
    const close = text.indexOf(END, start + START.length)
    if (close < 0) break
    const end = name === undefined ? start + START.length : close + END.length
    const command = sandboxCommands.find((each) => each.name === name)
    if (command) {
      // The character after the name is a space, or the end.
      const argument = text.slice(NAME.lastIndex + 1, close)
      commands = { ...commands, ...command.read(name === 'echo' ? argument : argument.trim(), commands) }
      rest += text.slice(from, start)
      from = end
    }
    start = text.indexOf(START, end)
  }
  return { commands, rest: (rest + text.slice(from)).trim() }
}
