import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useBaseUrl } from '../../data/hooks.ts'
import { queries } from '../../data/queries.ts'
import { usePlayground } from '../../parts/chats/playground-store.ts'
import {
  createActionEntries,
  createHelpEntries,
  createThemeEntries,
  createViewEntries,
} from './command-entries.ts'
import type { Entry, Navigate } from './entry.ts'
import {
  createChatEntries,
  createKeyEntries,
  createModelEntries,
  createProviderEntries,
} from './record-entries.ts'
import { createSettingEntries, createToolEntries } from './reference-entries.ts'

/** All that the palette finds, except requests. */
export function useEntries(navigate: Navigate): readonly Entry[] {
  const { data: keys } = useQuery(queries.keys)
  const { data: models } = useQuery(queries.models)
  const { data: providers } = useQuery(queries.providers)
  const { data: account } = useQuery(queries.account)
  const isPaused = account?.pausedAt != null
  const chats = usePlayground((store) => store.chats)
  const baseUrl = useBaseUrl()
  return useMemo(
    () => [
      ...createViewEntries(navigate),
      ...createActionEntries(navigate, baseUrl, isPaused),
      ...createKeyEntries(keys ?? [], navigate),
      ...createModelEntries(models ?? [], providers ?? [], navigate),
      ...createProviderEntries(providers ?? [], navigate),
      ...createChatEntries(chats, navigate),
      ...createSettingEntries(navigate),
      ...createToolEntries(navigate),
      ...createHelpEntries(navigate),
      ...createThemeEntries(),
    ],
    [keys, models, providers, chats, baseUrl, isPaused, navigate],
  )
}
