// The dimensions by which usage can be divided. The store's threads use this too, and load no schemas.
export const USAGE_SPLITS = ['key', 'model', 'provider', 'client', 'tag', 'session'] as const
