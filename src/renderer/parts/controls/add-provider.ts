import { create } from 'zustand'

/** Whether the dialog that adds a provider is open over whatever view is shown. */
export const useAddProvider = create<{ isOpen: boolean }>()(() => ({ isOpen: false }))

export function setAddProviderOpen(isOpen: boolean): void {
  useAddProvider.setState({ isOpen })
}
