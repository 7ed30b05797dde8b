// `tollgate complete -- WORDS`: what the scripts of `tollgate completion` call.
import type { Argument, Command, Option } from 'commander'
import { EXIT } from '../../host/exit-codes.ts'
import { printable } from '../../shared/values/text.ts'
import { print } from '../terminal/print.ts'
import { connect } from './options.ts'

interface Candidate {
  value: string
  description: string
}

/** The completions that the shell offers by itself. */
const BY_SHELL = { files: ':files', commands: ':commands' } as const

type Candidates = readonly Candidate[] | keyof typeof BY_SHELL

export async function complete(program: Command, args: readonly string[]): Promise<number> {
  const words = args[0] === '--' ? args.slice(1) : args
  const candidates = await findCandidates(program, words)
  if (typeof candidates === 'string') {
    print(`${BY_SHELL[candidates]}\n`)
    return EXIT.done
  }
  const current = words.at(-1) ?? ''
  for (const { value, description } of candidates) {
    if (value.startsWith(current)) print(`${value}\t${printable(description)}\n`)
  }
  return EXIT.done
}

/** Finds the candidates for the last word. */
async function findCandidates(program: Command, words: readonly string[]): Promise<Candidates> {
  let command = program
  let pending: Option | undefined
  let argumentCount = 0
  for (const word of words.slice(0, -1)) {
    if (pending) {
      pending = undefined
    } else if (word === '--') {
      // The command of `run` and its arguments.
      return words.at(-2) === word ? 'commands' : 'files'
    } else if (word.startsWith('-')) {
      const option = getOptions(command).find(({ long, short }) => long === word || short === word)
      if (option?.required || option?.optional) pending = option
    } else {
      const sub = command.commands.find((each) => each.name() === word)
      if (sub) command = sub
      else argumentCount += 1
    }
  }
  const current = words.at(-1) ?? ''
  if (pending) return listValues(pending.argChoices, pending.long?.slice(2) ?? '')
  if (current.startsWith('-')) {
    return getOptions(command).flatMap(({ long, description }) =>
      long ? [{ value: long, description }] : [],
    )
  }
  if (argumentCount === 0 && command.commands.length > 0) return listSubcommands(command)
  const argument = argumentAt(command, argumentCount)
  if (argument?.variadic && argumentCount > 0) return 'files'
  return argument ? listValues(argument.argChoices, argument.name()) : []
}

function listSubcommands(command: Command): Candidate[] {
  const visible = command.createHelp().visibleCommands(command)
  return visible.map((each) => ({ value: each.name(), description: each.summary() || each.description() }))
}

/** The options, with those of the subcommand that runs when none is named. */
function getOptions(command: Command): readonly Option[] {
  const [first] = command.commands
  return [...command.options, ...(command.parent && first ? first.options : [])]
}

function argumentAt({ registeredArguments }: Command, index: number): Argument | undefined {
  const last = registeredArguments.at(-1)
  return registeredArguments[index] ?? (last?.variadic ? last : undefined)
}

const FILE_VALUES = ['receipt', 'data-dir', 'file']

async function listValues(choices: readonly string[] | undefined, name: string): Promise<Candidates> {
  if (choices) return choices.map((value) => ({ value, description: '' }))
  if (FILE_VALUES.includes(name)) return 'files'
  if (name === 'command') return 'commands'
  // Nothing is offered while Tollgate is not running.
  return (await readers[name]?.().catch(() => [])) ?? []
}

const readers: Readonly<Record<string, () => Promise<Candidate[]>>> = {
  key: async () =>
    (await listKeys()).map(({ id, name }) =>
      // A name that a shell would read as several words cannot be inserted as it is.
      /^[\w.@:+-]+$/.test(name) ? { value: name, description: id } : { value: id, description: name },
    ),
  model: listModels,
  served: listModels,
  models: listModels,
  'allow-models': listModels,
  provider: listProviders,
  id: listProviders,
  session: async () =>
    (await connect({}).call('listSessions')).data.map(({ id, title, clientName, tag }) => ({
      value: id,
      description: [clientName, tag, title].filter((part) => part !== null).join(', '),
    })),
  tag: async () => {
    const tags = new Set((await listKeys()).flatMap(({ tag }) => (tag === null ? [] : [tag])))
    return [...tags].map((value) => ({ value, description: '' }))
  },
}

async function listKeys() {
  return (await connect({}).call('listKeys')).data.filter(({ revokedAt }) => revokedAt === null)
}

async function listModels(): Promise<Candidate[]> {
  const { data } = await connect({}).call('listModels')
  return data.map(({ id, name }) => ({ value: id, description: name === id ? '' : name }))
}

async function listProviders(): Promise<Candidate[]> {
  const { data } = await connect({}).call('listProviders')
  return data.filter(({ configured }) => configured).map(({ id, name }) => ({ value: id, description: name }))
}
