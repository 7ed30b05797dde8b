// Usage by branch and by commit. A request belongs to the branch on which its session was when it was made, and to the next
// commit of that branch; changes that were taken along to another branch belong to the next commit there.
import { getOrCreate } from '../../platform/maps.ts'
import { type Db, type SqlValue, statement } from '../sql/statement.ts'
import { addMeasures, MEASURE_NAMES, NO_MEASURES } from './rollup-columns.ts'
import { END_OF_TIME, type Stretches, type Sum, type SumOptions, sumRange } from './rollup-query.ts'

/** The work of a session between two changes of its branch or the next commit. */
interface Stretch {
  session: number
  /** Inclusive. */
  from: number
  /** Exclusive. */
  to: number
  repository: string
  branch: string
  /** '' for none yet. */
  commit: string
}

interface Place {
  session: number
  at: number
  repository: string
  branch: string
}

interface Move {
  at: number
  commit: string
  next: string
}

/** Sessions are looked up by the client's id of them, and by their key where there is no place of that id. */
const placesOfSessions = statement<[number, number, number], Place>(`
  SELECT nr AS session, at, repository, branch FROM git_places
  JOIN sessions ON sessions.client_session_id = git_places.client_session_id
  WHERE last_at >= ? AND started_at < ? AND at < ? ORDER BY nr, at, git_places.rowid`)
const placesOfKeys = statement<[number, number, number], Place>(`
  SELECT nr AS session, at, repository, branch FROM git_places
  JOIN sessions ON sessions.key_id = git_places.key_id
  WHERE last_at >= ? AND started_at < ? AND at < ? AND git_places.client_session_id IS NULL
  ORDER BY nr, at, git_places.rowid`)
const movesFrom = statement<[string, string], Move>(`
  SELECT at, commit_hash AS "commit", next_branch AS next FROM git_moves
  WHERE repository = ? AND branch = ? ORDER BY at`)

/** The name of a branch among those of all repositories: neither part of it can be mistaken for the other. */
function nameBranch({ repository, branch }: { repository: string; branch: string }): string {
  return `${repository} ${branch}`
}

/** Where requests were made. */
export interface PlaceFilter {
  repository?: string
  /** By the name that `branch` groups have. */
  branch?: string
}

function isIn(place: Place, { repository = place.repository, branch }: PlaceFilter): boolean {
  return place.repository === repository && (branch === undefined || nameBranch(place) === branch)
}

type GitOptions = Pick<SumOptions, 'where'> & {
  groupBy: 'branch' | 'commit'
  place?: PlaceFilter | undefined
}

/** Sums by branch or commit, without an order. The group '' has what belongs to none. */
export function sumByGit(
  db: Db,
  { groupBy, place, where }: GitOptions,
  { from, to }: { from: number; to: number },
): Sum[] {
  const options = { where, group: null, split: null }
  const stretches = listStretches(db, { from, to }, place)
  const named = encode(stretches, groupBy === 'commit' ? ({ commit }) => commit : nameBranch)
  const sums = sumRange(db, { ...options, within: { json: named, isGrouped: true } }, from, to)
  if (place !== undefined) return sums
  const known = sums.filter(({ group }) => group !== '')
  const rest = sumRange(db, options, from, to).reduce<Sum>(
    (sum, each) => {
      addMeasures(sum, each)
      return sum
    },
    { ...NO_MEASURES, group: '', split: '' },
  )
  for (const sum of known) for (const name of MEASURE_NAMES) rest[name] -= sum[name]
  return MEASURE_NAMES.some((name) => rest[name] !== 0) ? [...known, rest] : known
}

/** The requests that were made in a place. */
export function findInPlace(db: Db, place: PlaceFilter, range: { from: number; to: number }): Stretches {
  return { json: encode(listStretches(db, range, place), nameBranch), isGrouped: false }
}

function encode(stretches: readonly Stretch[], nameStretch: (stretch: Stretch) => string): string {
  return JSON.stringify(stretches.map((each) => [each.session, each.from, each.to, nameStretch(each)]))
}

function listStretches(
  db: Db,
  { from, to }: { from: number; to: number },
  filter: PlaceFilter = {},
): Stretch[] {
  const moves = new Moves(db)
  const stretches: Stretch[] = []
  for (const places of listPlaces(db, from, to)) {
    for (const [index, place] of places.entries()) {
      const end = places[index + 1]?.at ?? END_OF_TIME
      if (isIn(place, filter)) stretches.push(...moves.divide(place, end))
    }
  }
  return stretches
}

/** The places of each session, in their order. Those that name the session itself say more than those of its key. */
function listPlaces(db: Db, from: number, to: number): Iterable<Place[]> {
  const args = [from, to, to] as const
  const named = Map.groupBy(placesOfSessions(db).all(...args), ({ session }) => session)
  const byKey = Map.groupBy(placesOfKeys(db).all(...args), ({ session }) => session)
  return new Map([...byKey, ...named]).values()
}

/** The commits of branches, and where their changes were taken. */
class Moves {
  readonly #db: Db
  readonly #known = new Map<string, Move[]>()

  constructor(db: Db) {
    this.#db = db
  }

  divide({ session, at, repository, branch }: Place, end: number): Stretch[] {
    const common = { session, repository, branch }
    const stretches: Stretch[] = []
    let from = at
    for (const move of this.#list(repository, branch)) {
      if (move.at < from) continue
      const to = Math.min(move.at + 1, end)
      stretches.push({ ...common, from, to, commit: this.#follow(repository, move) })
      from = to
      if (from >= end) return stretches
    }
    return [...stretches, { ...common, from, to: end, commit: '' }]
  }

  /** The commit in which the changes before a move are; '' for none. Times only grow, so that it ends. */
  #follow(repository: string, first: Move): string {
    let move: Move | undefined = first
    const seen = new Set<Move>()
    while (move && move.commit === '' && !seen.has(move)) {
      const { at, next }: Move = move
      seen.add(move)
      move = this.#list(repository, next).find((each) => each.at >= at && !seen.has(each))
    }
    return move?.commit ?? ''
  }

  #list(repository: string, branch: string): Move[] {
    const name = nameBranch({ repository, branch })
    return getOrCreate(this.#known, name, () => movesFrom(this.#db).all(repository, branch))
  }
}

// The branches on which sessions work, and the commits made there: no path, message or name of a person.

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

interface LastPlace {
  at: number
  repository: string
  branch: string
  head: string | null
}

const SUBJECT = 'client_session_id IS ? AND key_id IS ?'
const lastPlace = statement<SqlValue[], LastPlace>(
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
  const put = ({ at, branch, head }: Omit<LastPlace, 'repository'>) =>
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
