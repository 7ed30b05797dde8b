// `npm run check` reads the messages of the commits that are not on the main branch yet.
import { execFileSync } from 'node:child_process'
import { root } from './commands.ts'

const MAIN_BRANCHES = ['origin/main', 'main']
const MAX_SUBJECT = 72
const SUBJECT = /^[a-z][a-z0-9-]*(, [a-z][a-z0-9-]*)*: [a-z\d`].*[^.]$/
/** A subject says what the commit does, not what was done. */
const NOT_IMPERATIVE = /: (\w+(ed|ing|ies|shes|ches)|adds|fixes|makes|moves|removes|updates|uses)\b/
/** Verbs that end like others in another mood. */
const IMPERATIVE = /: (bring|embed|exceed|feed|need|proceed|shed|speed|string|unembed)\b/

/** The faults of a commit message; none if it may stay. */
export function findFaults(message: string): string[] {
  const [subject = '', second = '', ...body] = message.trimEnd().split('\n')
  return [
    ...(subject.length > MAX_SUBJECT
      ? [`the subject has ${subject.length} characters, more than ${MAX_SUBJECT}`]
      : []),
    ...(SUBJECT.test(subject) ? [] : ['the subject is not of the form "area: imperative summary"']),
    ...(NOT_IMPERATIVE.test(subject) && !IMPERATIVE.test(subject)
      ? ['the summary is not in the imperative']
      : []),
    ...(second === '' && body.join('').trim() !== ''
      ? []
      : ['the body, after an empty line, gives no reason']),
  ]
}

/** `hash subject: fault` of each commit that is in none of the main branches. None without git. */
function checkCommits(): string[] {
  const existing = MAIN_BRANCHES.filter((branch) => git('rev-parse', '--verify', '--quiet', branch) !== null)
  if (existing.length === 0) return []
  const exclude = existing.map((branch) => `^${branch}`)
  const log = git('log', '--no-merges', '--format=%h%n%B%x00', 'HEAD', ...exclude) ?? ''
  return log.split('\0').flatMap((entry) => {
    const [hash = '', ...message] = entry.trim().split('\n')
    if (hash === '') return []
    return findFaults(message.join('\n')).map((fault) => `${hash} ${message[0]}: ${fault}`)
  })
}

function git(...args: readonly string[]): string | null {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return null
  }
}

if (import.meta.main) {
  const faults = checkCommits()
  for (const fault of faults) console.log(fault)
  process.exitCode = faults.length === 0 ? 0 : 1
}
