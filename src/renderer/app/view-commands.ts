import type { ViewHref } from '../../shared/desktop/views.ts'

type Navigate = (href: string) => void

/** The item that N creates in a view. */
const creations: Partial<Record<ViewHref, (navigate: Navigate) => void>> = {
  '/keys': (navigate) => navigate('/keys?new=1'),
  '/providers': (navigate) => navigate('/providers?add=1'),
  '/models': (navigate) => navigate('/models?new=1'),
  '/playground': () =>
    void import('../parts/chats/playground-store.ts').then((store) =>
      store.usePlayground.getState().startChat(),
    ),
}

/** Creates what the view of a path lists. Returns false if it lists nothing that a user creates. */
export function createInView(path: string, navigate: Navigate): boolean {
  const create = Object.entries(creations).find(([href]) => href === path)?.[1]
  create?.(navigate)
  return create !== undefined
}

/** Focuses the search field of the view. Returns false if it has none. */
export function focusViewSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('main input[type=search]')
  field?.focus()
  field?.select()
  return field !== null
}
