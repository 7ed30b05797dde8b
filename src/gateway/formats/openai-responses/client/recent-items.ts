// Clients refer to items of earlier responses instead of sending them again (`item_reference`). Recent ones are remembered, in
// memory only.

import { TextCache } from '../../chat/reasoning.ts'
import { isObject, type JsonObject, parseJson } from '../../json/json.ts'

/** The items that one API key received, by their id. */
export interface RecentItems {
  remember(items: readonly JsonObject[]): void
  /** Null when the item is unknown or was discarded. */
  recall(id: string): JsonObject | null
}

/** The most recently used items of a gateway. */
export class RecentItemCache {
  readonly #cache = new TextCache()

  /** What one API key may read and write. */
  scopeTo(keyId: string): RecentItems {
    const entryKey = (id: string): string => JSON.stringify([keyId, id])
    return {
      remember: (items) => {
        for (const item of items)
          if (typeof item.id === 'string') this.#cache.set(entryKey(item.id), JSON.stringify(item))
      },
      recall: (id) => {
        const item = parseJson(this.#cache.get(entryKey(id)) ?? '')
        return isObject(item) ? item : null
      },
    }
  }
}
