// Cline's command line writes all messages of an agent as one file, with the metrics of each answer.
import { basename, dirname, join } from 'node:path'
import { type JsonObject, toObject, toObjects } from '../../../../shared/values/json.ts'
import { readEach } from '../list-files.ts'
import { readJsonFile } from '../log-files.ts'
import {
  createRow,
  type Place,
  type Reader,
  readCount,
  readName,
  type Sink,
  splitPrompt,
  type Tokens,
} from './reader.ts'

export const cline: Reader = { locate, read }

function locate({ home, env }: Place): string[] {
  const data = env.CLINE_DATA_DIR || join(env.CLINE_DIR || join(home, '.cline'), 'data')
  return [env.CLINE_SESSION_DATA_DIR || join(data, 'sessions')]
}

const MESSAGES = '.messages.json'

/** A session's folder has a file for itself, by the name of the folder, and one for each of its agents. */
async function read(place: Place, sink: Sink): Promise<void> {
  await readEach(
    locate(place),
    { wants: (file) => file.endsWith(MESSAGES) },
    async (path) => {
      const session = basename(dirname(path))
      const agent = basename(path, MESSAGES)
      const conversation = await readJsonFile(path, sink)
      if (!conversation) return
      const about = (await readJsonFile(join(dirname(path), `${session}.json`), sink)) ?? {}
      readConversation(conversation, { session, agent: agent === session ? null : agent, about }, sink)
    },
    sink,
  )
}

interface Conversation {
  session: string
  agent: string | null
  /** The description of the session. */
  about: JsonObject
}

function readConversation(
  { messages }: JsonObject,
  { session, agent, about }: Conversation,
  sink: Sink,
): void {
  const metadata = toObject(about.metadata)
  for (const message of toObjects(messages)) {
    if (message.role !== 'assistant') continue
    const model = toObject(message.modelInfo)
    const row = createRow(
      {
        tool: 'cline',
        // A copy of a session has the ids and times of its messages.
        identity: [message.id ?? session, message.ts].join(' '),
        time: message.ts,
        model: model.id ?? about.model,
        provider: readName(model.provider) ?? readName(about.provider),
        session,
        agent,
        project: readName(about.cwd),
        branch: readName(toObject(metadata.git).branch),
        tokens: readTokens(toObject(message.metrics)),
      },
      sink,
    )
    if (row) sink.add(row)
  }
  const total = metadata.aggregateUsage ?? metadata.usage
  if (agent === null && total) sink.state({ session, tokens: readTokens(toObject(total)) })
}

function readTokens(usage: JsonObject): Tokens {
  return splitPrompt({
    prompt: readCount(usage.inputTokens),
    cacheRead: readCount(usage.cacheReadTokens),
    cacheWrite: readCount(usage.cacheWriteTokens),
    output: readCount(usage.outputTokens),
  })
}
