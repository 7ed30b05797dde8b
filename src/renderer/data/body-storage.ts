import type { SettingsUpdate } from '../../shared/api/account.ts'

/** The time for which prompts and answers are stored when the user wants them only for now. */
export const LIMITED_MINUTES = 30

export type BodyStorage = 'off' | 'limited' | 'always'

export const bodyStorageUpdates: Record<BodyStorage, () => SettingsUpdate> = {
  off: () => ({ storeBodies: false, storeBodiesUntil: null }),
  limited: () => ({
    storeBodies: false,
    storeBodiesUntil: new Date(Date.now() + LIMITED_MINUTES * 60_000).toISOString(),
  }),
  always: () => ({ storeBodies: true, storeBodiesUntil: null }),
}
