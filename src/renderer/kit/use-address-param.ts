import { useSearchParams } from 'wouter'

/** One parameter of the address and how to change it; the others stay. Null: it is not there. */
export function useAddressParam(name: string): [string | null, (value: string | null) => void] {
  const [search, setSearch] = useSearchParams()
  const setValue = (value: string | null) =>
    setSearch(
      (before) => {
        if (value === null) before.delete(name)
        else before.set(name, value)
        return before
      },
      { replace: true },
    )
  return [search.get(name), setValue]
}
