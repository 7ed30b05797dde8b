// opencode, and Kilo's command line, which is made of it, keep messages in SQLite. Their background calls for titles are in none.
import { basename, dirname, join, resolve } from 'node:path'
import { type Db, statement } from '../../../../gateway/store/sql/statement.ts'
import type { HistoryTool } from '../../../../shared/api/history-tools.ts'
import { type JsonObject, toObject } from '../../../../shared/values/json.ts'
import { readEach, readGroups, walkFiles } from '../list-files.ts'
import { parseJsonText, readJsonFile } from '../log-files.ts'
import { BusyDatabaseError, isMissing, readDatabaseCopy } from './database-copy.ts'
import { createRow, type Place, type Reader, readCount, readName, type Sink, type Tokens } from './reader.ts'

export const opencode = createReader('opencode', 'OPENCODE_DB')
export const kilo = createReader('kilo', 'KILO_DB')

function createReader(tool: HistoryTool, variable: string): Reader {
  const locate = ({ home, env }: Place): string[] => {
    const data = join(env.XDG_DATA_HOME || join(home, '.local', 'share'), tool)
    const chosen = env[variable]
    return [data, ...(chosen && chosen !== ':memory:' ? [resolve(data, chosen)] : [])]
  }
  // Versions that are not released have databases of their own.
  const isDatabase = (path: string) => new RegExp(`^${tool}(-.*)?\\.db$`).test(basename(path))
  return {
    locate,
    async read(place, sink) {
      const [data = '', chosen] = locate(place)
      const paths = new Set(chosen === undefined ? [] : [chosen])
      for await (const path of walkFiles([data], { wants: isDatabase, isDirect: true }, sink)) paths.add(path)
      const databases = [...paths].toSorted()
      await readGroups(
        databases.map((path) => [path, `${path}-wal`]),
        async ([path]) => {
          if (path !== undefined) await readDatabase(path, tool, sink)
        },
        sink,
      )
      // Older versions wrote a file for each message. All of them were moved to the database.
      if (paths.size === 0) await readMessageFiles(join(data, 'storage', 'message'), tool, sink)
    },
  }
}

interface MessageRow {
  session: string
  data: string
}

interface SessionRow {
  id: string
  parent: string | null
  folder: string
}

const messages = statement<[], MessageRow>(
  `SELECT session_id AS session, data FROM message WHERE data LIKE '%"assistant"%' ORDER BY id`,
)
const sessions = statement<[], SessionRow>('SELECT id, parent_id AS parent, directory AS folder FROM session')

async function readDatabase(path: string, tool: HistoryTool, sink: Sink): Promise<void> {
  try {
    await readDatabaseCopy(path, (db) => readMessages(db, tool, sink))
  } catch (error) {
    if (!isMissing(error))
      sink.skip(error instanceof BusyDatabaseError ? 'busy-database' : 'damaged-database')
  }
}

function readMessages(db: Db, tool: HistoryTool, sink: Sink): void {
  const known = new Map(
    sessions(db)
      .all()
      .map((row) => [row.id, row]),
  )
  for (const { session, data } of messages(db).iterate()) {
    const message = parseJsonText(data)
    const root = findRoot(session, known)
    const agent = root === session ? null : session
    if (message === null) sink.skip('damaged-row')
    else
      addMessage(message, { tool, session: root, agent, project: known.get(session)?.folder ?? null }, sink)
  }
}

/** The session that a sub-agent's session belongs to. */
function findRoot(session: string, known: ReadonlyMap<string, SessionRow>): string {
  let root = session
  for (let depth = 0; depth < known.size; depth += 1) {
    const parent = known.get(root)?.parent
    if (!parent) break
    root = parent
  }
  return root
}

async function readMessageFiles(folder: string, tool: HistoryTool, sink: Sink): Promise<void> {
  await readEach(
    [folder],
    { wants: (file) => file.endsWith('.json') },
    async (path) => {
      const message = await readJsonFile(path, sink)
      const session = basename(dirname(path))
      if (message) addMessage(message, { tool, session, agent: null, project: null }, sink)
    },
    sink,
  )
}

interface MessagePlace {
  tool: HistoryTool
  session: string
  agent: string | null
  project: string | null
}

function addMessage(message: JsonObject, { project, ...place }: MessagePlace, sink: Sink): void {
  if (message.role !== 'assistant') return
  const tokens = readTokens(toObject(message.tokens))
  const { created, completed } = toObject(message.time)
  const model = readName(message.modelID)
  const provider = readName(message.providerID)
  const row = createRow(
    {
      ...place,
      // A fork copies messages, and gives them other ids.
      identity: [created, completed, provider, model, ...Object.values(tokens)].join(' '),
      time: created,
      model,
      provider,
      project: readName(toObject(message.path).cwd) ?? project,
      tokens,
    },
    sink,
  )
  if (row) sink.add(row)
}

/** All counts are disjoint, also those of output and of reasoning. */
function readTokens({ input, output, reasoning, cache }: JsonObject): Tokens {
  const { read, write } = toObject(cache)
  return {
    input: readCount(input),
    cacheRead: readCount(read),
    cacheWrite5m: readCount(write),
    cacheWrite1h: 0,
    output: readCount(output) + readCount(reasoning),
    reasoning: readCount(reasoning),
  }
}
