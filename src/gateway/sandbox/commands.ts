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

/** Reads a command's argument, after the commands before it. */
type Reader = (argument: string, previous: SandboxCommands) => Partial<SandboxCommands>

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

const COMMAND = /\[\[sandbox:([a-z-]{1,20})(?=\s|\]\])\s?([\s\S]*?)\]\]/g
/** More are left in the text. */
const MAX_COMMANDS = 1_000

/** The commands in a text, and the text without them. An unknown name is left in the text. */
export function readCommands(text: string): { commands: SandboxCommands; rest: string } {
  let commands = NONE
  let count = 0
  // After the last end, the end of a command would be looked for again from each beginning.
  const end = text.lastIndexOf(']]') + 2
  const rest = text.slice(0, end).replace(COMMAND, (command, name, argument) => {
    const reader = sandboxCommands.find((row) => row.name === name)
    if (!reader || ++count > MAX_COMMANDS) return command
    commands = { ...commands, ...reader.read(name === 'echo' ? argument : argument.trim(), commands) }
    return ''
  })
  return { commands, rest: (rest + text.slice(end)).trim() }
}
