// The branches on which sessions work, and the commits made there: no path, message or name of a person.
import { type Db, type SqlValue, statement } from '../sql/statement.ts'

/** A repository as a client found it. Branches are '' for a detached HEAD. */
export interface GitReport {
  at: number
  /** The client's own id of its session; null for none. */
  clientSessionId: string | null
  /** The key whose sessions work there; null for none. */
  keyId: string | null
  repository: string
  branch: string
  /** Null before the first commit. */
  head: string | null
  commits: readonly { at: number; branch: string; commit: string }[]
  switches: readonly GitSwitch[]
}

/** A change from one branch to another. */
interface GitSwitch {
  at: number
  from: string
  to: string
  /** Whether both were at the same commit, so that changes without a commit were taken along. */
  carries: boolean
}

interface Place {
  at: number
  repository: string
  branch: string
  head: string | null
}

const SUBJECT = 'client_session_id IS ? AND key_id IS ?'
const lastPlace = statement<SqlValue[], Place>(
  `SELECT at, repository, branch, head FROM git_places WHERE ${SUBJECT} ORDER BY rowid DESC LIMIT 1`,
)
const addPlace = statement<SqlValue[]>(
  'INSERT INTO git_places (client_session_id, key_id, at, repository, branch, head) VALUES (?, ?, ?, ?, ?, ?)',
)
const addMove = statement<SqlValue[]>(
  'INSERT OR IGNORE INTO git_moves (repository, branch, at, commit_hash, next_branch) VALUES (?, ?, ?, ?, ?)',
)
const removeOldPlaces = statement<[number]>('DELETE FROM git_places WHERE at < ?')
const removeOldMoves = statement<[number]>('DELETE FROM git_moves WHERE at < ?')

/** Adds what is new in a report. The same commits and switches may be reported again. */
export function recordGit(db: Db, report: GitReport): void {
  const { repository, commits, switches, clientSessionId, keyId } = report
  for (const { at, branch, commit } of commits) addMove(db).run(repository, branch, at, commit, '')
  for (const { at, from, to, carries } of switches) if (carries) addMove(db).run(repository, from, at, '', to)
  if (clientSessionId === null && keyId === null) return
  const subject = [clientSessionId, keyId]
  const put = ({ at, branch, head }: Omit<Place, 'repository'>) =>
    addPlace(db).run(...subject, at, repository, branch, head)
  let last = lastPlace(db).get(...subject)
  for (const { at, to } of switches) {
    if (last?.repository !== repository || at <= last.at || at > report.at || to === last.branch) continue
    last = { at, repository, branch: to, head: last.head }
    put(last)
  }
  const { branch, head } = report
  const isNew = last?.repository !== repository || last.branch !== branch
  // A repository that logs no changes of HEAD still has another commit than before.
  if (!isNew && head !== null && head !== last?.head && commits.length + switches.length === 0)
    addMove(db).run(repository, branch, report.at, head, '')
  if (isNew || head !== last?.head) put(report)
}

export function pruneGit(db: Db, before: number): void {
  removeOldPlaces(db).run(before)
  removeOldMoves(db).run(before)
}
