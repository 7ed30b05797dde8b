// Named texts about the database itself.
import { type Db, statement } from './statement.ts'

const select = statement<[string], { value: string }>('SELECT value FROM meta WHERE name = ?')
const put = statement<[string, string]>('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)')
const remove = statement<[string]>('DELETE FROM meta WHERE name = ?')

export function readMeta(db: Db, name: string): string | undefined {
  return select(db).get(name)?.value
}

export function putMeta(db: Db, name: string, value: string): void {
  put(db).run(name, value)
}

export function removeMeta(db: Db, name: string): void {
  remove(db).run(name)
}
