interface Entries<Key, Value> {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): unknown
}

/** The value of the key; one that is created and kept where there is none. */
export function getOrCreate<Key, Value>(entries: Entries<Key, Value>, key: Key, create: () => Value): Value {
  const known = entries.get(key)
  if (known !== undefined) return known
  const created = create()
  entries.set(key, created)
  return created
}
