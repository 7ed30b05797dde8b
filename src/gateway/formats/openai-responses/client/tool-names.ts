// Function names of the chat-completions format: `^[a-zA-Z0-9_-]{1,64}$`. Tools in a namespace have a name within it.

const MAX_LENGTH = 64
const HASH_LENGTH = 8

/** How the answer has to call a tool that the chat request has under one flat name. */
export interface ToolOrigin {
  /** The type of the call's item. */
  call: string
  name: string
  namespace: string | null
}

/** A name that the chat-completions format allows: the name itself where it can be. */
export function flatName(name: string, namespace: string | null): string {
  if (namespace === null) return name
  const separator = namespace.endsWith('__') ? '' : '__'
  const joined = `${namespace}${separator}${name}`
  const safe = joined.replace(/[^a-zA-Z0-9_-]/g, '_')
  return safe === joined && safe.length <= MAX_LENGTH ? safe : hashedName(safe, joined)
}

/** A name that hardly any other tool has. */
export function hashedName(name: string, identity: string): string {
  return `${name.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hash(identity)}`
}

/** FNV-1a, 32 bits. */
function hash(text: string): string {
  let value = 0x811c9dc5
  for (const char of text) value = Math.imul(value ^ (char.codePointAt(0) ?? 0), 0x01000193)
  return (value >>> 0).toString(16).padStart(HASH_LENGTH, '0')
}
