// Finds clients by the name of the program, while rows have the number of what it sent.

import { type Db, statement } from '../engine/statement.ts'
import { clientName } from './client-name.ts'

interface NamedText {
  nr: number
  name: string
}

const textsAfter = statement<[number], { nr: number; text: string }>(
  'SELECT nr, text FROM texts WHERE nr > ? ORDER BY nr',
)

/** Of each connection, the names of all texts as if they were clients. Texts are never changed or deleted. */
const known = new WeakMap<Db, NamedText[]>()

/** The numbers of the clients whose name is `name`. A client that found no place among the texts is not found. */
export function clientsNamed(db: Db, name: string): number[] {
  return findClients(db, (each) => each === name)
}

/** The numbers of the clients whose name contains the text, in any case. */
export function clientsWith(db: Db, text: string): number[] {
  const wanted = text.toLowerCase()
  return findClients(db, (each) => each.toLowerCase().includes(wanted))
}

function findClients(db: Db, isWanted: (name: string) => boolean): number[] {
  const names = known.get(db) ?? []
  known.set(db, names)
  for (const { nr, text } of textsAfter(db).all(names.at(-1)?.nr ?? 0)) {
    // Prices are texts too.
    names.push({ nr, name: text.startsWith('{') ? '' : clientName(text) })
  }
  return names.filter(({ name }) => name !== '' && isWanted(name)).map(({ nr }) => nr)
}
