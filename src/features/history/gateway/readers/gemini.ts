// Gemini CLI appends a message again when its tools have run, and can write all messages of a session at the same time.
import { basename, dirname, join } from 'node:path'
import { type JsonObject, toObject, toObjects } from '../../../../shared/values/json.ts'
import { readEach } from '../list-files.ts'
import { readJsonFile, readJsonLines } from '../log-files.ts'
import { createRow, type Place, type Reader, readCount, readName, type Sink, splitPrompt } from './reader.ts'

export const gemini: Reader = { locate, read }

function locate({ home, env }: Place): string[] {
  return [join(env.GEMINI_CLI_HOME || home, '.gemini', 'tmp')]
}

async function read(place: Place, sink: Sink): Promise<void> {
  await readEach(
    locate(place),
    { wants: (file) => CHATS.test(file) },
    async (path) => {
      const chat = new Chat(path)
      if (path.endsWith('.json')) {
        const content = await readJsonFile(path, sink)
        if (content) chat.visit(content, sink)
      } else await readJsonLines(path, { wants, visit: (line) => chat.visit(line, sink) }, sink)
    },
    sink,
  )
}

/** A file for each session, in a folder of its parent session if it is a sub-agent's. Older versions wrote one JSON object. */
const CHATS = /[\\/]chats[\\/].*\.jsonl?$/
const TOKENS = Buffer.from('"tokens":')
const HEADER = Buffer.from('"sessionId":')

function wants(line: Buffer, isCut: boolean): boolean {
  return isCut || line.includes(TOKENS) || line.includes(HEADER)
}

class Chat {
  readonly #project: string
  readonly #parent: string | null
  #session: string

  constructor(path: string) {
    const folder = dirname(path)
    this.#parent = basename(folder) === 'chats' ? null : basename(folder)
    this.#project = basename(dirname(this.#parent === null ? folder : dirname(folder)))
    this.#session = basename(path).replace(/\.jsonl?$/, '')
  }

  visit(line: JsonObject, sink: Sink): void {
    this.#session = readName(line.sessionId) ?? this.#session
    for (const message of [line, ...toObjects(line.messages), ...toObjects(toObject(line.$set).messages)])
      if (message.type === 'gemini' && message.tokens) this.#add(message, toObject(message.tokens), sink)
  }

  #add(message: JsonObject, counts: JsonObject, sink: Sink): void {
    const thoughts = readCount(counts.thoughts)
    const tokens = splitPrompt({
      // Tokens that tools add to the prompt are apart from `input`, and thoughts are apart from `output`.
      prompt: readCount(counts.input) + readCount(counts.tool),
      cacheRead: readCount(counts.cached),
      output: readCount(counts.output) + thoughts,
      reasoning: thoughts,
    })
    const row = createRow(
      {
        tool: 'gemini',
        identity: readName(message.id) ?? `${this.#session} ${message.timestamp}`,
        time: message.timestamp,
        model: message.model,
        session: this.#parent ?? this.#session,
        agent: this.#parent === null ? null : this.#session,
        project: this.#project,
        tokens,
      },
      sink,
    )
    if (row) sink.add(row)
  }
}
